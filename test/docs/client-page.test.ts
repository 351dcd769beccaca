import t from 'tap'
import { clientPage, listMembers } from '../../tools/client-page.ts'
import { MomockClient } from '../../src/index.ts'
import { read } from './markdown.ts'

t.test('docs/client.md is current', async (t) => {
  t.equal(read('docs/client.md'), clientPage(), 'npm run docs:client writes it anew')
})

t.test('every method of the client is on the page, with a sentence', async (t) => {
  const members = [...listMembers().values()].flat()
  t.same(
    members.filter(({ text }) => text === '').map(({ name }) => name),
    [],
    'a comment above each'
  )
  const shown = new Set(members.map(({ name }) => name))
  const methods: string[] = []
  for (
    let type: object = MomockClient.prototype;
    type !== Object.prototype;
    type = Object.getPrototypeOf(type)
  ) {
    methods.push(...Object.getOwnPropertyNames(type))
  }
  const hidden = ['constructor', 'listAll', 'listJournal', 'download', 'pay']
  t.ok(methods.length > 50)
  t.same(
    methods.filter((name) => !shown.has(name) && !hidden.includes(name)),
    []
  )
})
