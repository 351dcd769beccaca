import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { Stamps, type Stamp } from '../../src/services/stamps.ts'

/** Changes that servers tell each other: all of them end with the same one. */

interface Change {
  what: string
  stamp: Stamp
}

const systemClock = { now: () => 1000 }

/** Returns the changes that stay if they arrive in this order. */
function keep (changes: readonly Change[]): Map<string, Stamp> {
  const stamps = new Stamps(9, systemClock)
  const kept = new Map<string, Stamp>()
  for (const { what, stamp } of changes) {
    if (!stamps.note(stamp, 'all', what)) continue
    if (what === 'all') {
      for (const part of kept.keys()) if (!stamps.hasLater(part, stamp)) kept.delete(part)
    } else kept.set(what, stamp)
  }
  return kept
}

/** Returns all orders of a list. */
function permute<T> (list: readonly T[]): T[][] {
  if (list.length === 0) return [[]]
  return list.flatMap((one, i) => permute(list.toSpliced(i, 1)).map((rest) => [one, ...rest]))
}

t.test('changes stay the same in whichever order they arrive', async (t) => {
  const servers = [new Stamps(1, systemClock), new Stamps(2, systemClock)]
  const changes = ['a', 'all', 'a', 'b', 'all', 'b'].map((what, n) => ({
    what,
    stamp: servers[n % 2].create()
  }))
  const wanted = new Map([['b', changes[5].stamp]])
  const wrong = permute(changes).filter((order) => !isDeepStrictEqual(keep(order), wanted))
  t.strictSame(wrong, [])
})

t.test('a change that begins after another is later, whatever the clocks show', async (t) => {
  const [ahead, behind] = [{ now: () => 9000 }, { now: () => 0 }].map(
    (clock, n) => new Stamps(n, clock)
  )
  const first = ahead.create()
  t.ok(behind.note(first, 'sink'))
  const second = behind.create()
  t.ok(behind.note(second, 'sink'))
  t.ok(ahead.note(second, 'sink'), 'the second server has seen the first stamp')
  t.notOk(behind.note(first, 'sink'), 'a change that arrives late is ignored')
})

t.test('without several servers, each change counts', async (t) => {
  const stamps = new Stamps(0, systemClock)
  t.ok(stamps.note(undefined, 'sink'))
  t.notOk(stamps.hasLater('sink', undefined))
})
