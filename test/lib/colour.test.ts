import t from 'tap'
import { hasColours, paintText } from '../../src/lib/colour.ts'

t.test('NO_COLOR and FORCE_COLOR decide about colours before the terminal does', async (t) => {
  const terminal = { isTTY: true }
  const pipe = {}
  const rows: Array<[stream: object, env: Record<string, string>, colours: boolean]> = [
    [terminal, {}, true],
    [pipe, {}, false],
    [terminal, { NO_COLOR: '1' }, false],
    [terminal, { NO_COLOR: '' }, true],
    [pipe, { FORCE_COLOR: '1' }, true],
    [pipe, { FORCE_COLOR: '3' }, true],
    [pipe, { FORCE_COLOR: '' }, true],
    [terminal, { FORCE_COLOR: '0' }, false],
    [terminal, { FORCE_COLOR: 'false' }, false],
    [pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [terminal, { TERM: 'dumb' }, false]
  ]
  for (const [stream, env, colours] of rows) {
    const name = `${stream === pipe ? 'pipe' : 'terminal'} ${JSON.stringify(env)}`
    t.equal(hasColours(stream, env), colours, name)
    t.equal(paintText('red', 'x', stream, env), colours ? '\u001b[31mx\u001b[39m' : 'x', name)
  }
})
