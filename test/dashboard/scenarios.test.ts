import t from 'tap'
import { actAndSee, see, visit } from '../support/dashboard.ts'
import { requests } from '../support/examples.ts'
import { build } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** The scenarios page: an editor that checks, and use counts. */

const rejecting = 'when: { kind: deposit }\nreject: INVALID_CURRENCY\ntimes: 2'

t.test('the editor shows problems with their lines, and keeps the text', async (t) => {
  const mock = await openSandbox(t)
  const markup = '</textarea><script>alert(1)</script>'
  const check = (text: string) =>
    visit(mock, '/__admin/ui/scenarios', {
      method: 'POST',
      body: new URLSearchParams({ name: 'mine', text })
    })
  const page = await check(`when:\n  kind: gift\n# ${markup}`)
  t.equal(page.status, 200)
  t.match(page.text, /line 2:<\/strong>\s+when\.kind must be/)
  t.notMatch(page.text, markup)
  t.match(page.text, 'value="mine"')
  t.match((await check(rejecting)).text, /valid.*no payments to compare/s)
})

t.test('a refused scenario stays in the editor, with the reason at its field', async (t) => {
  const mock = await openSandbox(t)
  for (const [name, text, field, reason] of [
    ['mine', 'script: [', 'text', /id="refusal">[^<]*correct the text/],
    ['mine', 'scrip: phone # mine', 'text', /id="refusal">[^<]*scrip/],
    ['my name', 'when: { kind: deposit }\nlatency: 1s', 'name', /id="refusal">[^<]*name/]
  ] as Array<[string, string, string, RegExp]>) {
    const page = await actAndSee(mock, 'add-scenario', { back: '/scenarios', name, text })
    t.match(page, reason)
    const [control = ''] = page.match(new RegExp(`<(input|textarea) id="${field}"[^>]*>`)) ?? []
    t.match(control, /aria-invalid="true" aria-describedby="refusal check"/, field)
    t.match(page, `value="${name}"`)
    t.match(page, `\n${text}</textarea>`)
  }
  t.notMatch(await see(mock, '/scenarios'), 'aria-invalid')
})

t.test('a text that is too long for a form is refused, and not cut', async (t) => {
  const mock = await openSandbox(t)
  const add = (text: string) =>
    actAndSee(mock, 'add-scenario', { back: '/scenarios', name: 'long', text })
  const longest = rejecting.padEnd(20_000, '\n#')
  t.match(await add(`${longest}##`), /text has 20,002 characters, and a form takes 20,000/)
  t.same((await mock.call('GET', '/__admin/scenarios')).body.scenarios, [])
  t.match(await add(longest), 'The scenario was added.')
  t.match(await add(longest.replaceAll('\n', '\r\n')), 'The scenario was added.')
})

t.test('a scenario is added, counted, edited and replaced', async (t) => {
  const mock = await build(t)
  const add = (text: string) =>
    actAndSee(mock, 'add-scenario', { back: '/scenarios', name: 'small', text })
  t.match(await add(rejecting), /The scenario was added.*used 0 times, 2 left/s)
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  t.match(await see(mock, '/scenarios'), 'used once, 1 left')
  const edited = await see(mock, '/scenarios?edit=small')
  t.match(edited, /value="small".*reject: INVALID_CURRENCY\ntimes: 2\n<\/textarea>/s)
  t.match(edited, 'It replaces the scenario of the same name.')
  t.match(await add(rejecting.replace('2', '7')), 'used 0 times, 7 left')
})
