import type fc from 'fast-check'
import { bodyOf, customer, pathOf, type Kind, type Version } from '../../support/bodies.ts'
import { checkAccount, checkStatus, checkViews, expectEqual, expectStatus } from './checks.ts'
import { addPayment, advance, finish, isFinal, isTaken, newAccount, release } from './state.ts'
import { movesOf, moveTo, refundable, statusOf } from './state.ts'
import type { Availability, Model, ModelPayment, Operation, Script, ScriptKind } from './state.ts'
import type { System } from './system.ts'

/** What can be done to an account: to the real one and to the model at once. */
export interface Command extends fc.AsyncCommand<Model, System, boolean> {
  toString: () => string
}

interface Doing {
  check?: (model: Readonly<Model>) => boolean
  run: (model: Model, system: System) => Promise<void>
}

function command (name: string, { check = () => true, run }: Doing): Command {
  const checked = async (model: Model, system: System): Promise<void> => {
    await run(model, system)
    await checkViews(system)
  }
  return { check, run: checked, toString: () => name }
}

/** An identifier that follows from how many there were before. */
function nextId (model: Model): string {
  return `00000000-0000-4000-8000-${String(++model.counter).padStart(12, '0')}`
}

const kindsOf = (model: Readonly<Model>, kinds: readonly Kind[]): ModelPayment[] => {
  return [...model.payments.values()].filter(({ kind }) => kinds.includes(kind))
}

/** One of them; the same number means the same one. */
const chosen = (payments: ModelPayment[], n: number): ModelPayment => payments[n % payments.length]

interface Initiation {
  status: string
  created: string
  redirectUrl?: string
}

const timestamp = (time: number): string => {
  return `${new Date(Math.floor(time / 1000) * 1000).toISOString().slice(0, 19)}Z`
}

export const initiate = (kind: ScriptKind, version: Version, amount: number): Command => {
  const used: Version = kind === 'remittance' ? 'v2' : version
  return command(`initiate ${used} ${kind} of ${amount}`, {
    run: async (model, system) => {
      const id = nextId(model)
      const wish = { id, amount: String(amount) }
      const { body } = await system.call<Initiation>(
        'POST',
        pathOf(kind, used),
        bodyOf(kind, used, wish)
      )
      const delayed = used === 'v1' && !isOperational(model, kind)
      const wanted = isTaken(model, kind) ? (delayed ? 'ENQUEUED' : 'ACCEPTED') : 'REJECTED'
      expectStatus(`initiate ${kind} ${id}`, body, [wanted])
      if (isTaken(model, kind)) addPayment(model, { kind, version: used, id, amount })
    }
  })
}

function isOperational ({ outage }: Model, kind: ScriptKind): boolean {
  const states: Record<ScriptKind, Availability> = {
    deposit: outage.DEPOSIT,
    payout: outage.PAYOUT,
    refund: outage.REFUND,
    remittance: outage.REMITTANCE
  }
  return states[kind] === 'OPERATIONAL'
}

const repeatable: readonly Kind[] = ['deposit', 'payout', 'remittance', 'checkout', 'splitPayment']

export const duplicate = (n: number): Command =>
  command(`duplicate ${n}`, {
    check: (model) => kindsOf(model, repeatable).length > 0,
    run: async (model, system) => {
      const { kind, version, id, created } = chosen(kindsOf(model, repeatable), n)
      const payoutIds = [nextId(model), nextId(model)] as const
      const { body } = await system.call<Initiation>(
        'POST',
        pathOf(kind, version),
        bodyOf(kind, version, { id, amount: '77', payoutIds })
      )
      expectStatus(`duplicate ${kind} ${id}`, body, ['DUPLICATE_IGNORED'])
      expectEqual(`created of duplicate ${id}`, body.created, timestamp(created))
    }
  })

export const everyKind: readonly Kind[] = [...repeatable, 'refund']

export const status = (n: number, version: Version): Command => {
  return command(`status ${n} in ${version}`, {
    check: (model) => model.payments.size > 0,
    run: (model, system) => {
      return checkStatus(model, system, chosen(kindsOf(model, everyKind), n), version)
    }
  })
}

export const unknown = (kind: Kind): Command =>
  command(`status of an unknown ${kind}`, {
    run: async (model, system) => {
      const { body } = await system.call<{ status: string }>(
        'GET',
        `${pathOf(kind, 'v2')}/${nextId(model)}`
      )
      expectStatus(`unknown ${kind}`, body, ['NOT_FOUND'])
    }
  })

export const refund = (n: number, version: Version, amount: number): Command => {
  return command(`refund ${amount} of deposit ${n} in ${version}`, {
    check: (model) => kindsOf(model, ['deposit']).length > 0,
    run: async (model, system) => {
      const deposit = chosen(kindsOf(model, ['deposit']), n)
      const id = nextId(model)
      const wish = { id, depositId: deposit.id, amount: String(amount) }
      const { body } = await system.call<Initiation>(
        'POST',
        pathOf('refund', version),
        bodyOf('refund', version, wish)
      )
      const taken = refundable(model, deposit) >= amount && isTaken(model, 'refund')
      expectStatus(`refund ${id}`, body, taken ? ['ACCEPTED', 'ENQUEUED'] : ['REJECTED'])
      if (taken) addPayment(model, { kind: 'refund', version, id, amount, depositId: deposit.id })
    }
  })
}

const cancellable: readonly Kind[] = ['payout', 'refund', 'remittance']

export const cancel = (n: number): Command =>
  command(`cancel ${n}`, {
    check: (model) => kindsOf(model, cancellable).length > 0,
    run: async (model, system) => {
      const payment = chosen(kindsOf(model, cancellable), n)
      const { body } = await system.call<{ status: string }>(
        'POST',
        `${pathOf(payment.kind, 'v2')}/fail-enqueued/${payment.id}`
      )
      const waits = statusOf(model, payment) === 'ENQUEUED'
      expectStatus(
        `cancel ${payment.kind} ${payment.id}`,
        body,
        waits ? ['ACCEPTED'] : ['REJECTED']
      )
      if (waits) finish(model, payment, 'FAILED')
    }
  })

const movable: readonly Kind[] = ['deposit', ...cancellable]

const movableOf = (model: Readonly<Model>): ModelPayment[] =>
  kindsOf(model, movable).filter((payment) => movesOf(model, payment).length > 0)

/** A tester moves a payment to one of the statuses that can follow. */
export const move = (n: number, m: number): Command =>
  command(`move ${n} to ${m}`, {
    check: (model) => movableOf(model).length > 0,
    run: async (model, system) => {
      const payment = chosen(movableOf(model), n)
      const moves = movesOf(model, payment)
      const to = moves[m % moves.length]
      const { body } = await system.call<{ status: string }>(
        'POST',
        `/__admin/payments/${payment.kind}/${payment.id}/move`,
        { to }
      )
      expectStatus(`move ${payment.kind} ${payment.id} to ${to}`, body, [to])
      moveTo(model, payment, to)
    }
  })

export const split = (amount: number): Command =>
  command(`split ${amount}`, {
    run: async (model, system) => {
      const [id, one, other] = [nextId(model), nextId(model), nextId(model)]
      const wish = { id, amount: String(amount), payoutIds: [one, other] as const }
      const { body } = await system.call<Initiation>(
        'POST',
        '/v2/split-payments',
        bodyOf('splitPayment', 'v2', wish)
      )
      const taken = isTaken(model, 'deposit') && isTaken(model, 'payout')
      expectStatus(`split ${id}`, body, taken ? ['ACCEPTED'] : ['REJECTED'])
      if (!taken) return
      const deposit = (await system.client().payments({ kind: 'deposit' })).at(-1)?.id ?? ''
      const part = { version: 'v2', whole: id } as const
      const whole = addPayment(model, { kind: 'splitPayment', version: 'v2', id, amount })
      whole.parts = [deposit, one, other]
      addPayment(model, { ...part, kind: 'deposit', id: deposit, amount })
      for (const payoutId of [one, other]) {
        addPayment(model, { ...part, kind: 'payout', id: payoutId, amount: 5 })
      }
    }
  })

export const checkout = (amount: number): Command =>
  command(`checkout of ${amount}`, {
    run: async (model, system) => {
      const id = nextId(model)
      const { body } = await system.call<Initiation>(
        'POST',
        '/v2/checkouts',
        bodyOf('checkout', 'v2', { id, amount: String(amount) })
      )
      expectStatus(`checkout ${id}`, body, ['ACCEPTED'])
      const page = new URL(body.redirectUrl ?? '').pathname
      addPayment(model, { kind: 'checkout', version: 'v2', id, amount, page })
    }
  })

const hasCheckout = (model: Readonly<Model>): boolean => kindsOf(model, ['checkout']).length > 0

export const attempt = (n: number): Command =>
  command(`attempt on checkout ${n}`, {
    check: hasCheckout,
    run: async (model, system) => {
      const payment = chosen(kindsOf(model, ['checkout']), n)
      const { id, amount, page, expiry = 0 } = payment
      const { status, body } = await system.call<{ depositId: string }>(
        'POST',
        `${page}/attempts`,
        {
          country: 'ZMB',
          provider: 'MTN_MOMO_ZMB',
          phoneNumber: customer,
          currency: 'ZMW'
        }
      )
      const open = payment.status === 'WAITING_PAYMENT' && model.now < expiry
      const taken = open && isTaken(model, 'deposit')
      expectEqual(`an attempt on checkout ${id} is taken`, status === 201, taken)
      if (status >= 500) throw new Error(`an attempt on ${id} was answered with ${status}`)
      if (!taken) return
      payment.status = 'PROCESSING'
      payment.parts.push(body.depositId)
      const part = { kind: 'deposit', version: 'v2', whole: id } as const
      addPayment(model, { ...part, id: body.depositId, amount })
    }
  })

export const expire = (n: number): Command =>
  command(`expire checkout ${n}`, {
    check: hasCheckout,
    run: async (model, system) => {
      const payment = chosen(kindsOf(model, ['checkout']), n)
      const { body } = await system.call<{ status: string }>(
        'POST',
        `/v2/checkouts/${payment.id}/expire`
      )
      if (payment.status === 'WAITING_PAYMENT') finish(model, payment, 'EXPIRED')
      else if (payment.status === 'PROCESSING') payment.expiry = model.now
      expectStatus(`expire ${payment.id}`, body, [payment.status])
    }
  })

export const answerPhone = (n: number, decision: 'approve' | 'decline'): Command => {
  return command(`${decision} deposit ${n} on the phone`, {
    check: (model) => kindsOf(model, ['deposit']).length > 0,
    run: async (model, system) => {
      const deposit = chosen(kindsOf(model, ['deposit']), n)
      const { status } = await system.call(
        'POST',
        `/__admin/phone/${customer}/deposits/${deposit.id}`,
        { decision }
      )
      if (status >= 500) throw new Error(`the phone answered ${status} for ${deposit.id}`)
      if (status !== 200 || isFinal(deposit.status)) return
      finish(model, deposit, decision === 'approve' ? 'COMPLETED' : 'FAILED')
    }
  })
}

export const script = (kind: ScriptKind, script: Script): Command => {
  return command(`script of ${kind}s: ${JSON.stringify(script)}`, {
    run: async (model, system) => {
      const end = script.to === 'FAILED' ? { failureCode: 'UNSPECIFIED_FAILURE' as const } : {}
      await system.client().scenario({
        name: `script-${++model.counter}`,
        when: { kind },
        script: [
          { after: script.processing, to: 'PROCESSING' },
          { after: script.end, to: script.to, ...end }
        ]
      })
      model.scripts[kind] = script
    }
  })
}

export const outage = (operation: Operation, state: Availability): Command => {
  return command(`${operation} is ${state}`, {
    run: async (model, system) => {
      const before = model.outage[operation]
      model.outage[operation] = state
      const { released } = await system.client().provider('MTN_MOMO_ZMB', { [operation]: state })
      const wanted = state === 'OPERATIONAL' && before !== state ? release(model, operation) : 0
      expectEqual('released', released, wanted)
    }
  })
}

export const advanceBy = (by: number): Command =>
  command(`advance by ${by} ms`, {
    run: async (model, system) => {
      const clock = await system.client().advance(by)
      advance(model, model.now + by)
      expectEqual('the clock', Date.parse(clock.now), model.now)
      await checkAccount(model, system)
    }
  })

export const freeze = (by: number): Command =>
  command(`freeze ${by} ms later`, {
    run: async (model, system) => {
      model.now += by
      await system.client().setClock({ mode: 'frozen', now: new Date(model.now).toISOString() })
    }
  })

export const restart = (signal: NodeJS.Signals): Command =>
  command(`restart by ${signal}`, {
    run: async (model, system) => {
      await system.restart(signal)
      expectEqual('the clock', Date.parse((await system.client().clock()).now), model.now)
    }
  })

export const reset: Command = command('reset', {
  run: async (model, system) => {
    await system.client().reset({ keep: ['clock'] })
    await system.configure()
    Object.assign(model, newAccount(model.now))
  }
})

export const snapshot = (name: string): Command =>
  command(`snapshot ${name}`, {
    run: async (model, system) => {
      await system.client().snapshot(name)
      const { now, payments, scripts, outage } = model
      model.snapshots.set(name, structuredClone({ now, payments, scripts, outage }))
    }
  })

export const restore = (name: string): Command =>
  command(`restore ${name}`, {
    check: ({ snapshots }) => snapshots.has(name),
    run: async (model, system) => {
      await system.client().restore(name)
      Object.assign(model, structuredClone(model.snapshots.get(name)))
    }
  })
