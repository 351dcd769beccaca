import t from 'tap'
import { formatTimestamp, latestTime } from '../../src/lib/clock.ts'

t.test('times are written in whole seconds, in any order', async (t) => {
  const noon = Date.UTC(2026, 0, 31, 12)
  // The text of the last second and of the last day is kept: each row changes one of them.
  const times: ReadonlyArray<readonly [time: number, text: string]> = [
    [noon, '2026-01-31T12:00:00Z'],
    [noon + 999, '2026-01-31T12:00:00Z'],
    [noon + 1000, '2026-01-31T12:00:01Z'],
    [noon + 60_000, '2026-01-31T12:01:00Z'],
    [noon, '2026-01-31T12:00:00Z'],
    [Date.UTC(2026, 1, 1) - 1, '2026-01-31T23:59:59Z'],
    [Date.UTC(2026, 1, 1), '2026-02-01T00:00:00Z'],
    [noon, '2026-01-31T12:00:00Z'],
    [0, '1970-01-01T00:00:00Z'],
    [-1, '1969-12-31T23:59:59Z'],
    [latestTime, '9999-12-31T23:59:59Z']
  ]
  for (const [time, text] of times) t.equal(formatTimestamp(time), text, `${time}`)
})
