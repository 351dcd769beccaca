import { dirname, join } from 'node:path'
import { quoteWord } from '../lib/shell.ts'
import type { AuthorityFiles } from './authority.ts'

/** Shell lines that make the clients of a language trust the authority. */

/** Password of the trust store of Java, which contains no secret; it is Java's own default. */
const storePassword = 'changeit'

/** Folder with the default trust store of the installed Java. */
const javaHome = '"$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")"'

/** Lines for each language. The paths have quotes where a shell needs them. */
const lines: Record<string, (files: AuthorityFiles) => string[]> = {
  // Adds to the trusted roots.
  node: ({ ca }) => [`export NODE_EXTRA_CA_CERTS=${quoteWord(ca)}`],
  // The variables replace the trusted roots. requests has a variable of its own.
  python: ({ bundle }) => [
    `export SSL_CERT_FILE=${quoteWord(bundle)}`,
    `export REQUESTS_CA_BUNDLE=${quoteWord(bundle)}`
  ],
  // The curl extension ignores SSL_CERT_FILE. An empty first folder stands for the default one.
  php: ({ bundle }) => {
    const folder = join(dirname(bundle), 'php')
    const settings = ['curl.cainfo', 'openssl.cafile'].map((name) =>
      quoteWord(`${name}="${bundle}"`)
    )
    return [
      `mkdir -p ${quoteWord(folder)}`,
      `printf '%s\\n' ${settings.join(' ')} > ${quoteWord(join(folder, 'momock.ini'))}`,
      `export PHP_INI_SCAN_DIR=${quoteWord(`:${folder}`)}`
    ]
  },
  go: ({ bundle }) => [`export SSL_CERT_FILE=${quoteWord(bundle)}`],
  // Java reads no PEM file: a copy of its own trust store gets the certificate.
  java: ({ ca }) => {
    const store = join(dirname(ca), 'truststore.p12')
    const options = [
      `-Djavax.net.ssl.trustStore=${store}`,
      '-Djavax.net.ssl.trustStoreType=PKCS12',
      `-Djavax.net.ssl.trustStorePassword=${storePassword}`
    ]
    return [
      `rm -f ${quoteWord(store)}`,
      'keytool -importkeystore -noprompt ' +
        `-srckeystore ${javaHome}/lib/security/cacerts -srcstorepass ${storePassword} ` +
        `-destkeystore ${quoteWord(store)} -deststoretype PKCS12 -deststorepass ${storePassword}`,
      `keytool -importcert -noprompt -alias momock -file ${quoteWord(ca)} ` +
        `-keystore ${quoteWord(store)} -storetype PKCS12 -storepass ${storePassword}`,
      `export JAVA_TOOL_OPTIONS=${quoteWord(options.join(' '))}`
    ]
  },
  ruby: ({ bundle }) => [`export SSL_CERT_FILE=${quoteWord(bundle)}`],
  dotnet: ({ bundle }) => [`export SSL_CERT_FILE=${quoteWord(bundle)}`],
  curl: ({ bundle }) => [`export CURL_CA_BUNDLE=${quoteWord(bundle)}`]
}

/** Languages that have lines. */
export const languages: readonly string[] = Object.keys(lines)

/** Returns the lines for a language. */
export function listTrustLines (language: string, files: AuthorityFiles): string[] {
  return lines[language](files)
}
