import { LedgerUnusableError } from '../../src/ports/ledger-error.ts'
import { noEncryption, noPassword, PostgresError } from './postgres-error.ts'

/** Last advice of most problems. */
export const orElsewhere = 'or name another database with --db'

/** Advice for a certificate that cannot be checked. */
const orUnchecked =
  'sslmode=require without sslrootcert encrypts, too, but does not check who answers'

/** SQLSTATE of a statement that took too long. */
const statementTimeout = '57014'
/** SQLSTATEs of transactions that disturbed each other: one of them is done again. */
const conflicts = ['40001', '40P01']

type Problem = [
  codes: RegExp,
  problem: (place: string, error: PostgresError) => string,
  fix: string
]

const lostConnection: Problem = [
  /^(57P0|08|ECONN|ENOENT|EPIPE|EHOST|ENET|ETIMEDOUT)/,
  (place, { message }) => `PostgreSQL does not answer at ${place} (${message})`,
  `start it and check host and port, and firewalls, ${orElsewhere}`
]

/** Problems by SQLSTATE or system error. The first row whose code fits is used. */
const problems: readonly Problem[] = [
  [
    /^28000/,
    (place, { message }) => `PostgreSQL refuses the connection to ${place} (${message})`,
    'check the user in the URL, and pg_hba.conf; sslmode=require in the URL encrypts the connection'
  ],
  [
    /^28/,
    (place) => `PostgreSQL refuses the user or the password for ${place}`,
    `check the user in the URL, and the password there or in PGPASSWORD, ${orElsewhere}`
  ],
  [
    new RegExp(`^${noPassword}$`),
    (place) => `PostgreSQL wants a password for ${place}`,
    'write it in the URL, postgres://USER:PASSWORD@HOST/DATABASE, or set PGPASSWORD'
  ],
  [
    new RegExp(`^${noEncryption}$`),
    (place) => `PostgreSQL has no encryption at ${place}`,
    'set ssl = on in PostgreSQL, or write sslmode=disable in the URL'
  ],
  [
    /ALTNAME/,
    (place, { message }) => `the certificate of ${place} is for another host (${message})`,
    'write the host of the certificate in the URL, or sslmode=verify-ca, which does not check it'
  ],
  [
    /CERT_(HAS_EXPIRED|NOT_YET_VALID)/,
    (place, { message }) => `the certificate of ${place} cannot be used now (${message})`,
    `renew it, or correct the clock of this machine; ${orUnchecked}`
  ],
  [
    /CERT|^UNABLE_TO_/,
    (place, { message }) => `the authority of ${place} is not known (${message})`,
    `name its certificate with sslrootcert=FILE in the URL; ${orUnchecked}`
  ],
  [
    /^ERR_(SSL|OSSL|TLS)|^EPROTO/,
    (place, { message }) => `the encryption of ${place} fails (${message})`,
    'check the files of sslcert, sslkey and sslrootcert in the URL, and the log of PostgreSQL'
  ],
  [
    /^(42P01|42883|42703|3F000)/,
    (place, { message }) => `parts of the ledger in ${place} are missing (${message})`,
    `restore a backup, ${orElsewhere}`
  ],
  [
    /^3D000/,
    (place, { message }) => `there is no database ${place} (${message})`,
    `create it, ${orElsewhere}`
  ],
  [
    /^42501/,
    (place, { message }) => `the user of ${place} has not enough rights (${message})`,
    'grant CONNECT on the database, CREATE on the schema, and all rights on its tables, ' +
      orElsewhere
  ],
  [
    /^25006/,
    (place) => `${place} is read-only`,
    `name the primary server of the database, ${orElsewhere}`
  ],
  [
    /^53300/,
    (place) => `${place} has no free connection`,
    'raise max_connections or the limit of the user, or end others'
  ],
  [
    /^53/,
    (place, { message }) => `${place} has no room (${message})`,
    'make room on the disk of the database'
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN)/,
    (place, { message }) => `the host of ${place} is not known (${message})`,
    `check the host in the URL, ${orElsewhere}`
  ],
  lostConnection,
  [
    /^58|^57014|^55P03/,
    (place, { message }) => `${place} fails (${message})`,
    'see the log of PostgreSQL'
  ]
]

/** Returns the problem of the database behind an error, or undefined for errors of the work. */
export function explainFault (place: string, error: unknown): LedgerUnusableError | undefined {
  if (!(error instanceof PostgresError)) return undefined
  const known = problems.find(([codes]) => codes.test(error.code))
  if (known === undefined && !error.isLost) return undefined
  const [, problem, fix] = known ?? lostConnection
  const { isLost } = error
  const endsTries = isLost || error.code === statementTimeout
  return new LedgerUnusableError(problem(place, error), fix, {
    isTemporary: true,
    endsTries,
    isLost
  })
}

/** Returns whether an error comes from transactions that disturbed each other. */
export function isConflict ({ code }: PostgresError): boolean {
  return conflicts.includes(code)
}
