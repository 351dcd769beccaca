import { writeFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'
import { shippedCatalogue } from '../src/domain/catalogue.ts'
import { ScenarioSchema } from '../src/domain/scenario-file.ts'
import { FileSchema } from '../src/config/load-config.ts'
import { ConfigSchema } from '../src/exam/config.ts'
import { ReportSchema } from '../src/reports/exam/report.ts'
import { createMomock } from '../src/index.ts'

/**
 * JSON schemas by file name, for editors and readers: what `npm run schema` writes and tests
 * compare. Editors do not know our formats.
 */
export const jsonSchemas: Readonly<Record<string, () => string>> = {
  'momock.schema.json': () => writeSchema('configuration of momock', FileSchema, 'format'),
  'scenario.schema.json': () => writeSchema('scenario of momock', ScenarioSchema, 'format'),
  'exam.schema.json': () => writeSchema('momock exam', ConfigSchema, 'format'),
  'exam-report.schema.json': () => writeSchema('report of momock exam', ReportSchema)
}

/** Writes a schema as a file; `without` is a keyword of our own that editors do not know. */
function writeSchema (title: string, schema: TSchema, without?: string): string {
  const plain = JSON.parse(JSON.stringify(schema), (key, value) =>
    key === without && typeof value === 'string' ? undefined : value
  )
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  return `${JSON.stringify({ $schema, title, ...plain }, null, 2)}\n`
}

/** The codes that are data: types of those of the catalogue, words of the API reference. */
export async function knownCodes (): Promise<string> {
  const countries = Object.values(shippedCatalogue)
  const codes = {
    CatalogueCountry: Object.keys(shippedCatalogue),
    CatalogueProvider: countries.flatMap(({ providers }) => Object.keys(providers))
  }
  const types = Object.entries(codes).map(
    ([name, words]) => `export type ${name} =${words.map((word) => `\n  | '${word}'`).join('')}\n`
  )
  const operations = (await listOperations()).map((word) => `\n  '${word}'`).join(',')
  return ['/** Codes of the catalogue and of the API reference. `npm run schema` writes this. */\n']
    .concat(types)
    .concat(
      `export const operationIds = [${operations}\n] as const\n`,
      'export type OperationId = (typeof operationIds)[number]\n'
    )
    .join('\n')
}

/** operationId of every operation of the payments API. */
async function listOperations (): Promise<string[]> {
  const mock = await createMomock()
  const { paths } = await mock.call<{ paths: Record<string, Record<string, Named>> }>(
    'GET',
    '/openapi.json'
  )
  await mock.close()
  return Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .map(({ operationId }) => operationId)
    .filter((id) => /^v[12]/.test(id))
    .sort()
}

/** Operation of an OpenAPI document. */
interface Named {
  operationId: string
}

if (import.meta.main) {
  writeFileSync(new URL('../src/domain/known-codes.ts', import.meta.url), await knownCodes())
  for (const [name, write] of Object.entries(jsonSchemas)) {
    writeFileSync(new URL(`../schemas/${name}`, import.meta.url), write())
  }
}
