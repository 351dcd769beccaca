/** A request to the API as code that can be run as it is. */

export interface SampleRequest {
  url: string
  headers: Record<string, string>
  /** Body as JSON with indentation. */
  body: string
}

/** Languages with their writers. Each uses only what the language itself contains. */
export const languages: Record<string, (request: SampleRequest) => string> = {
  Node: ({ url, headers, body }) => `const response = await fetch(${quote(url)}, {
  method: 'POST',
  headers: {
${listHeaders(headers, (name, value) => `    ${quote(name)}: ${quote(value)}`)}
  },
  body: JSON.stringify(${indent(body, '  ')})
})
console.log(response.status, await response.json())`,

  Python: ({ url, headers, body }) => `import json
import urllib.error
import urllib.request

body = json.loads(r'''
${body.replaceAll("'''", '\\u0027\\u0027\\u0027')}
''')
request = urllib.request.Request(
    ${quote(url)},
    data=json.dumps(body).encode(),
    headers={
${listHeaders(headers, (name, value) => `        ${quote(name)}: ${quote(value)}`)}
    },
)
try:
    with urllib.request.urlopen(request) as response:
        print(response.status, response.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())`,

  PHP: ({ url, headers, body }) => `<?php
$body = <<<'JSON'
${body}
JSON;
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
${listHeaders(headers, (name, value) => `        ${quote(`${name}: ${value}`)}`)}
    ],
    'content' => $body,
    'ignore_errors' => true,
]]);
echo file_get_contents(${quote(url)}, false, $context), "\\n";`
}

/** Text in single quotes, as all three languages read it. */
function quote (text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function indent (text: string, space: string): string {
  return text.replaceAll('\n', `\n${space}`)
}

function listHeaders (
  headers: Record<string, string>,
  write: (name: string, value: string) => string
): string {
  return Object.entries(headers)
    .map(([name, value]) => write(name, value))
    .join(',\n')
}
