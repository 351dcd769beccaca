import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { single } from '../groups/group.ts'
import { root } from './markdown.ts'

t.test('every test file is run by npm test', async (t) => {
  const grouped = globSync('test/groups/*.test.ts', { cwd: root }).map(
    (file) => /runFolder\('(\w+)'/.exec(readFileSync(join(root, file), 'utf8'))?.[1]
  )
  const missing = globSync('test/**/*.test.ts', { cwd: root }).filter(
    (file) =>
      !single.includes(file) && !grouped.some((folder) => dirname(file) === `test/${folder}`)
  )
  t.same(missing, [], 'add the folder to .taprc, or to test/groups')
})
