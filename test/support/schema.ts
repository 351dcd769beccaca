import { writeFileSync } from 'node:fs'
import { ScenarioSchema } from '../../src/domain/scenario-file.ts'

/**
 * The JSON schema of scenario files, for editors: what `npm run schema` writes and a test compares.
 */
export function scenarioSchema (): string {
  const { additionalProperties, ...schema } = JSON.parse(
    JSON.stringify(ScenarioSchema),
    (key, value) => (key === 'format' ? undefined : value)
  )
  return `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'momock scenario', ...schema, additionalProperties }, null, 2)}\n`
}

if (import.meta.main) {
  writeFileSync(new URL('../../scenario.schema.json', import.meta.url), scenarioSchema())
}
