import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { resolveLink } from '../../routes/guide/markdown.ts'
import { createMomock } from '../../src/index.ts'
import { slow } from '../support/limits.ts'
import { read, root } from './markdown.ts'

/** The guide: the documents as pages of the server. */

const home = '/__admin/docs/guide'
const mock = await createMomock({ adminToken: 'secret' })
t.teardown(() => mock.close())

async function get (address: string): Promise<{ status: number; text: string }> {
  const response = await fetch(mock.url + address, { headers: { accept: 'text/html' } })
  return { status: response.status, text: await response.text() }
}

t.test('every page that a page links to is served, without a token', slow, async (t) => {
  const seen = new Set([home])
  for (const address of seen) {
    const { status, text } = await get(address)
    t.equal(status, 200, address)
    t.notMatch(text, /<script(?! src="\/static)|<img|<!--|\son\w+=|javascript:/i, address)
    for (const [, link] of text.matchAll(/href="(\/__admin\/docs\/guide[^"#]*)/g)) seen.add(link)
  }
  t.ok(seen.size > 60)
  for (const page of ['docs/i-want-to.md', 'docs/project/glossary.md', 'README.md']) {
    t.ok(seen.has(`${home}/${page}`), page)
  }
})

t.test('a page shows what its file says', async (t) => {
  const { text } = await get(`${home}/docs/callbacks.md`)
  t.match(text, '<h2 id="built-in-receiver">Built-in receiver</h2>')
  t.match(text, `<a href="${home}/docs/signatures.md">signed</a>`)
  t.match(text, '<td data-head="Effect">the callback is late</td>')
  const code = await get(`${home}/examples/verify/verify.mjs`)
  t.match(code.text, 'export function isGenuine')
  t.match(code.text, '=&gt;', 'markup in code is a text')
  t.match((await get(`${home}/examples/verify`)).text, `href="${home}/examples/verify/verify.php"`)
})

t.test('links lead to pages of the guide, or are texts', async (t) => {
  const rows: Array<[link: string, page: string, address: string | undefined]> = [
    ['admin.md#clock', 'docs/testing.md', `${home}/docs/admin.md#clock`],
    ['../README.md', 'docs/testing.md', `${home}/README.md`],
    ['docs/README.md', 'README.md', home],
    ['../examples/testing', 'docs/testing.md', `${home}/examples/testing`],
    ['https://stryker-mutator.io', 'docs/testing.md', 'https://stryker-mutator.io'],
    ['#clock', 'docs/admin.md', '#clock'],
    ['test/api/deposits.test.ts', 'README.md', undefined],
    ['../../etc/passwd', 'README.md', undefined],
    ['javascript:alert(1)', 'README.md', undefined]
  ]
  for (const [link, page, address] of rows) t.equal(resolveLink(link, page), address, link)
})

t.test('nothing else is served', async (t) => {
  for (const path of ['package.json', 'src/main.js', 'docs/../package.json', 'nothing']) {
    const { status, text } = await get(`${home}/${path.replaceAll('..', '%2e%2e')}`)
    t.equal(status, 404, path)
    t.match(text, 'leads to all pages')
  }
  t.ok(existsSync(join(root, 'package.json')))
})

t.test('the search finds passages by their words', async (t) => {
  const rows: Array<[words: string, found: RegExp]> = [
    ['3rd payout fail', /1 passage for[^]*make the <mark>3rd<\/mark> <mark>payout<\/mark>/],
    ['ECONNREFUSED', /docs\/troubleshooting\.md#no-callback-arrives/],
    ['advisory lock', /docs\/project\/architecture\.md/],
    ['zzzz', /0 passages for “zzzz”/],
    ['<b>', /0 passages for “&lt;b&gt;”/]
  ]
  for (const [words, found] of rows) {
    t.match((await get(`${home}?search=${encodeURIComponent(words)}`)).text, found, words)
  }
  t.match(read('docs/README.md'), '](i-want-to.md)')
})

t.test('assistants get the pages for users as text', async (t) => {
  const { text: list } = await get('/llms.txt')
  const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link)
  t.ok(links.length > 20, `${links.length} pages`)
  for (const link of links) t.equal((await get(link)).status, 200, link)
  t.match((await get('/llms-full.txt')).text, /# momock, for assistants[^]*# Assistants/)
})
