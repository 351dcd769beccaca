import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../docs/markdown.ts'
import { knownCodes } from '../../tools/schema.ts'

t.test('the types of codes are those of the catalogue and the reference', async (t) => {
  t.equal(
    readFileSync(join(root, 'src/domain/known-codes.ts'), 'utf8'),
    await knownCodes(),
    'npm run schema writes it anew'
  )
})
