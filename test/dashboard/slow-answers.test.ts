import t from 'tap'
import { SlowAnswers } from '../../routes/dashboard/slow-answers.ts'
import { testMachine } from '../support/helper.ts'

/** Answers of calls that read a whole account. */

t.test('a page does not wait for a slow answer, and is asked again only later', async (t) => {
  const clock = testMachine()
  const answers = new SlowAnswers(clock)
  const asked: Array<(status: number) => void> = []
  const ask = () =>
    new Promise<{ status: number; body: unknown }>((resolve) =>
      asked.push((status) => resolve({ status, body: {} }))
    )
  t.equal(await answers.find('a', ask), undefined)
  t.equal(await answers.find('a', ask), undefined)
  t.equal(asked.length, 1, 'one call at a time')
  clock.time += 1000
  asked[0](200)
  t.match(await answers.find('a', ask), { status: 200 })
  clock.time += 19_000
  t.match(await answers.find('a', ask), { status: 200 })
  t.equal(asked.length, 1, 'the answer is used again')
  clock.time += 1000
  t.match(await answers.find('a', ask), { status: 200 }, 'the earlier answer')
  asked[1](201)
  t.match(await answers.find('a', ask), { status: 201 })
  t.equal(await answers.find('b', ask), undefined, 'another account')
})

t.test('a call that fails is asked again', async (t) => {
  const answers = new SlowAnswers(testMachine())
  await t.rejects(
    answers.find('a', () => Promise.reject(new Error('away'))),
    /away/
  )
  t.match(await answers.find('a', async () => ({ status: 200, body: {} })), { status: 200 })
})
