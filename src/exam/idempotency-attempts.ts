import type { Bench } from './bench.ts'
import { check } from './check.ts'
import { attemptCheckout } from './customer.ts'
import { gravest, judgeOnce, type Once } from './judging.ts'

/**
 * A first attempt that fails and a second one that completes, by two deposits of the same order.
 */
async function retryDeposit (bench: Bench): Promise<Once> {
  await bench.hold()
  const first = await bench.subject()
  await bench.post('honest FAILED', await bench.move(first, 'FAILED', 'PAYMENT_NOT_APPROVED'))
  await bench.settle()
  const second = await bench.subjectOf(
    await bench.drive('retry', { reference: first.reference ?? '' })
  )
  await bench.post('honest COMPLETED of the second attempt', await bench.move(second, 'COMPLETED'))
  const subject = { ...second, reference: first.reference ?? second.reference }
  return {
    what: 'the first attempt failed and the second one completed',
    subject,
    seen: await bench.waitUntilPaid(subject)
  }
}

/** The same inside a checkout, where the customer tries again. */
async function retryCheckout (bench: Bench): Promise<Once> {
  await bench.script('deposit', {
    script: [
      { after: 0, to: 'PROCESSING' },
      { after: 0, to: 'COMPLETED' }
    ]
  })
  await bench.script('deposit', {
    script: [
      { after: 0, to: 'PROCESSING' },
      { after: 0, to: 'FAILED', failureCode: 'PAYMENT_NOT_APPROVED' }
    ],
    times: 1
  })
  const subject = await bench.subjectOf(await bench.drive('checkout'))
  await attemptCheckout(subject, bench.settings.values)
  await bench.mock.wait('checkout', subject.id, 'WAITING_PAYMENT')
  await bench.settle()
  await attemptCheckout(subject, bench.settings.values)
  await bench.mock.wait('checkout', subject.id)
  await bench.watcher.delivered(subject.id)
  return {
    what: 'the first attempt in the checkout failed and the second one completed',
    subject,
    seen: await bench.waitUntilPaid(subject)
  }
}

/** IDE-04: an order that is paid by the second attempt. */
export const attempts = check({
  id: 'IDE-04',
  title: 'after one failed attempt the order can never be paid',
  proves: 'an order can be paid after a failed attempt',
  requirement: { rule: 'A failed payment ends the attempt, not the order.', source: 'API rules' },
  severity: 'high',
  depth: [1, 2],
  needs: ['retry', 'observe'],
  does:
    'An attempt fails, the customer tries again, and the second one completes; also inside a ' +
    'checkout, if there is one.',
  shouldBe: 'The order is paid by the second attempt.',
  why:
    'The customer pays the second time, and the order stays failed. The money is taken and ' +
    'nothing is delivered.',
  fix: 'Keep attempts apart from orders: an order has many payments, each with its own depositId.',
  stage: async (bench) => {
    const tries: Once[] = []
    if (bench.canDrive('retry') && bench.canDrive('deposit')) tries.push(await retryDeposit(bench))
    if (bench.canDrive('checkout')) {
      for (const { name } of await bench.mock.scenarios()) await bench.mock.removeScenario(name)
      tries.push(await retryCheckout(bench))
    }
    return tries
  },
  judge: (tries) => gravest(tries.map(judgeOnce))
})
