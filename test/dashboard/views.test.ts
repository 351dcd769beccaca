import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { actions } from '../../routes/dashboard/actions.ts'
import type { MomockOptions } from '../../src/index.ts'
import { fillAccount, type Views } from '../support/dashboard-account.ts'
import { createMomock } from '../support/momock.ts'

/** Rules of every page of the dashboard, for an account with something to show on each of them. */

const run = promisify(execFile)
const adminToken = 'hush-1234'
const asBrowser = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }

interface Board {
  url: string
  views: Views
  /** Gets a page, or anything else, as a browser. */
  get: (path: string, headers?: Record<string, string>) => Promise<Response>
  /** Gets a page as its text. */
  show: (path: string) => Promise<string>
}

/** Starts a server, fills its account, and signs in if there is a token. */
async function openBoard (t: Test, options: MomockOptions = {}): Promise<Board> {
  const mock = await createMomock({ clock: 'frozen', ...options })
  t.teardown(() => mock.close())
  const url = mock.url.replace('0.0.0.0', '127.0.0.1')
  const views = await fillAccount(t, url, options.adminToken)
  const login = await fetch(`${url}/__admin/ui/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: asBrowser,
    body: new URLSearchParams({ token: options.adminToken ?? '' })
  })
  const [cookie = ''] = login.headers.get('set-cookie')?.split(';') ?? []
  const get = (path: string, headers = {}): Promise<Response> =>
    fetch(new URL(path, url), { headers: { ...asBrowser, cookie, ...headers } })
  return { url, views, get, show: async (path) => await (await get(home(path))).text() }
}

const home = (path: string): string => `/__admin/ui${path}`

function unescape (text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** Finds the groups of a pattern in a page, as a reader sees them. */
function findAll (page: string, pattern: RegExp): string[][] {
  return [...page.matchAll(pattern)].map(([, ...groups]) => groups.map(unescape))
}

t.test('every link of every page works with the cookie of the admin token', async (t) => {
  const { url, views, get, show } = await openBoard(t, { adminToken })
  const links = new Set<string>()
  for (const [name, path] of Object.entries(views)) {
    const page = await show(path)
    t.match(page, /<title>/, name)
    t.notMatch(page, adminToken, `${name} does not show the token`)
    for (const [link] of findAll(page, /<(?:a|link|script)\s[^>]*(?:href|src)="([^"#]+)/g)) {
      // Links of the list of older and newer pages and of filters are pages, too.
      links.add(new URL(link, url).href)
    }
  }
  for (const link of links) {
    t.ok(link.startsWith(url), `${link} is on this server`)
    const { status } = await get(link)
    const isUnknown = link.includes(views['unknown payment'])
    // The list as JSON is an admin call, which refuses a provider that does not exist.
    const isRefused = /provider=%22.*format=json/.test(link)
    t.equal(status, isUnknown ? 404 : isRefused ? 400 : 200, link)
  }
  t.ok(links.size > 100, `${links.size} links`)
  t.ok([...links].some((link) => link.includes('/exam/report')))
  const stream = await get(home('/events'), { accept: 'text/event-stream' })
  t.equal(stream.status, 200)
  await stream.body?.cancel()
})

t.test('without the cookie no page is shown, and the login leads back to it', async (t) => {
  const { url, views } = await openBoard(t, { adminToken })
  for (const path of [...Object.values(views), '/exam/report', '/payments?format=json']) {
    const asked = await fetch(url + home(path), { headers: asBrowser })
    t.equal(asked.status, 401, path)
    const [[next]] = findAll(await asked.text(), /name="next" value="([^"]*)"/g)
    const login = await fetch(`${url}/__admin/ui/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: asBrowser,
      body: new URLSearchParams({ token: adminToken, next })
    })
    t.match([login.status, login.headers.get('location')], [303, home(path)])
  }
  for (const next of ['https://evil.example/', '//evil.example', '/__admin/uis']) {
    const login = await fetch(`${url}/__admin/ui/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: asBrowser,
      body: new URLSearchParams({ token: adminToken, next })
    })
    t.equal(login.headers.get('location'), '/__admin/ui', next)
  }
})

t.test('every page has a JSON version, a link to it, and a command that gets it', async (t) => {
  const { views, get, show } = await openBoard(t, { adminToken })
  for (const [name, path] of Object.entries(views)) {
    const page = await show(path)
    const [[link]] = findAll(page, /href="([^"]*format=json[^"]*)"/g)
    const linked = await get(link)
    t.match(linked.headers.get('content-type'), /json/, name)
    const fields = Object.keys(Object(await linked.json()))
    const twin = await get(home(path), { accept: 'application/json' })
    t.strictSame(Object.keys(Object(await twin.json())), fields, `${name} with an Accept header`)
    const [[curl]] = findAll(page, /as an admin call<\/summary>\s*<pre><code>([^<]+)<\/code>/g)
    const env = { ...process.env, MOMOCK_ADMIN_TOKEN: adminToken }
    const { stdout } = await run('bash', ['-c', curl], { env, maxBuffer: 10_000_000 })
    t.strictSame(Object.keys(JSON.parse(stdout)), fields, `${name} with curl`)
  }
})

t.test('the pages have a button for every action', async (t) => {
  const { views, show } = await openBoard(t)
  const seen = new Set<string>()
  for (const path of [...Object.values(views), '/payments?account=team-1']) {
    const found = findAll(await show(path), /action="[^"]*\/actions\/([\w-]+)/g)
    for (const [action] of found) seen.add(action)
  }
  t.strictSame(
    Object.keys(actions).filter((action) => !seen.has(action)),
    []
  )
})

t.test('text of merchants and customers never becomes markup', async (t) => {
  const { views, show } = await openBoard(t)
  for (const [name, path] of Object.entries(views)) {
    const page = await show(path)
    t.notMatch(page, /<img src=x|<script>hacked|<b>/, name)
    t.notMatch(page, /\s(on\w+|style)="/, `${name} has no code inside`)
  }
  for (const name of ['searched', 'deposit', 'callbacks', 'requests', 'scenarios', 'exam']) {
    t.match(await show(views[name]), /&lt;(script|img src=x|b)/, `${name} shows it as text`)
  }
})

t.test('on an address that others can reach the buttons work, and each page warns', async (t) => {
  const { views, show } = await openBoard(t, { host: '0.0.0.0' })
  for (const [name, path] of Object.entries(views)) {
    const page = await show(path)
    t.match(page, /class="note warning">Warning: everyone who can reach .* with --admin-token /, name)
    t.notMatch(page, /<button disabled/, name)
  }
})

t.test('an address of nothing is a page with the reason and a way back', async (t) => {
  const { get } = await openBoard(t)
  for (const [path, status, text] of [
    ['/payments?account=nobody', 404, /there is no account &#39;nobody&#39;/],
    ['/callbacks?account=%3Cb%3E', 404, /there is no account &#39;&lt;b&gt;&#39;/],
    ['?account=nobody', 404, /there is no account/],
    ['/nothing', 404, /has no page \/__admin\/ui\/nothing.*>the page \/__admin\/ui leads/s],
    ['/payments?status=LOST', 400, /status must be/]
  ] as Array<[string, number, RegExp]>) {
    const page = await get(home(path))
    t.match([page.status, page.headers.get('content-type')], [status, /html/], path)
    const shown = await page.text()
    t.match(shown, text)
    t.match(shown, /<a [^>]*href="\/__admin\/ui/)
    const twin = await get(home(path), { accept: 'application/json' })
    t.match([twin.status, await twin.json()], [status, { error: { message: String } }])
  }
})
