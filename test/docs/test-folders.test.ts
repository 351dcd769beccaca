import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { single } from '../groups/group.ts'
import { root } from './markdown.ts'

t.test('every test file is run by npm test', async (t) => {
  const grouped = globSync('test/groups/*.ts', { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const [, pattern] = /(?:runFiles|globSync)\('(test\/[^']+)'/.exec(text) ?? []
    const [, except] = /except: '([^']+)'/.exec(text) ?? []
    if (pattern === undefined) return []
    return globSync(pattern, { cwd: root, exclude: except === undefined ? [] : [except] })
  })
  const missing = globSync('test/**/*.test.ts', { cwd: root }).filter(
    (file) => !single.includes(file) && !grouped.includes(file)
  )
  t.same(missing, [], 'add the folder to .taprc, or to test/groups')
})
