import { randomUUID } from 'node:crypto'
import t from 'tap'
import { advanceBy, answerPhone, initiate, script, split } from './model/commands.ts'
import { runCommands, runModel } from './model/run.ts'
import { openLaboratory } from './model/system.ts'
import { isFull } from '../support/full.ts'
import { gateSeed as seed } from '../support/random.ts'
import { bodyOf } from '../support/bodies.ts'

/** A short run of `npm run test:model`, and what longer ones have found. */

const laboratory = await openLaboratory()
t.teardown(() => laboratory.close())

const found = [
  [
    'a split payment whose deposit ends before its own first step does not stop its account',
    [
      script('deposit', { processing: 1, end: 1, to: 'COMPLETED' }),
      split(10),
      initiate('payout', 'v2', 10),
      advanceBy(1000)
    ]
  ],
  [
    'a split payment goes on when its deposit is approved on a frozen clock',
    [split(10), answerPhone(0, 'approve'), advanceBy(1000)]
  ]
] as const

for (const [name, sequence] of found) {
  t.test(name, (t) => t.resolves(runCommands(laboratory, sequence)))
}

t.test('a split payment whose deposit is called back before its answer goes on', async (t) => {
  const system = await laboratory.newSystem()
  const client = system.client()
  await client.scenario({ when: { kind: 'deposit' }, callback: { beforeAnswer: true } })
  const [id, one, other] = [randomUUID(), randomUUID(), randomUUID()]
  const body = bodyOf('splitPayment', 'v2', { id, payoutIds: [one, other] })
  const { status } = await system.call('POST', '/v2/split-payments', body)
  t.equal(status, 200)
  await t.resolves(client.advance('1m'))
  t.strictSame(
    (await client.payments()).filter(({ status }) => status !== 'COMPLETED'),
    []
  )
})

t.test('random sequences of commands leave the account as the model says', async (t) => {
  const runs = isFull ? 25 : 3
  t.comment(`npm run test:model -- --runs ${runs} --longest 20 --seed ${seed}`)
  await t.resolves(runModel(laboratory, { runs, longest: 20, seed }))
})
