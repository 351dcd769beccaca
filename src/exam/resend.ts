import { check } from './check.ts'
import { answerTo, isAcknowledged, type Exchange } from './evidence.ts'
import { failed, ifAcknowledged, isBookedOnce, judgeBooked } from './judging.ts'

/** IDE-06: a callback that is sent again after hours. */
export const resent = check({
  id: 'IDE-06',
  title: 'a resend after hours does something, or is refused',
  proves: 'a resend after hours is taken and changes nothing',
  requirement: {
    rule: 'A callback can be sent again at any time, signed anew.',
    source: 'API rules'
  },
  severity: 'medium',
  depth: [1, 2],
  needs: ['deposit', 'observe'],
  does:
    "A booked payment's callback is sent again after two hours of the account's clock, signed " +
    'freshly.',
  shouldBe: 'It is answered with 2xx, and changes nothing.',
  why:
    'Support staff send callbacks again. What was forgotten after an hour counts twice; what ' +
    'is refused looks like an outage.',
  fix:
    'Keep what you have booked in the database, not in a cache that expires. Compare the ' +
    'signature with the time, not the payment.',
  stage: async (bench) => {
    await bench.script('deposit', {
      script: [
        { after: 0, to: 'PROCESSING' },
        { after: 0, to: 'COMPLETED' }
      ]
    })
    const subject = await bench.subjectOf(await bench.drive())
    await bench.watcher.delivered(subject.id)
    const before = await bench.waitUntilPaid(subject)
    await bench.mock.advance('2h')
    const [callback] = await bench.mock.callbacks({ paymentId: subject.id })
    if (callback !== undefined) await bench.mock.resendCallback(callback.id)
    await bench.mock.advance(1)
    const after = await bench.observeSettled(subject)
    const attempts = (await bench.mock.callbacks({ paymentId: subject.id })).flatMap(
      ({ attempts }) => attempts
    )
    return {
      subject,
      before,
      after,
      answers: attempts.map(({ status, error }): Pick<Exchange, 'status' | 'error'> => ({
        ...(status !== undefined && { status }),
        ...(error !== undefined && { error })
      }))
    }
  },
  judge: ({ subject, before, after, answers }) => {
    const last = answers.at(-1) ?? {}
    if (!isBookedOnce(before)) return judgeBooked('the payment was completed', subject, before)
    if (!isAcknowledged(last)) {
      return ifAcknowledged(failed(`the resend ${answerTo(last)}`))
    }
    return judgeBooked(`the resend ${answerTo(last)}`, subject, after)
  }
})
