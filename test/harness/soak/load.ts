import { MomockError } from '../../../src/index.ts'
import type { Random } from '../../support/random.ts'
import { bodyOf, customer, kindNames, kinds, pathOf } from '../../support/bodies.ts'
import type { Running } from '../../support/server-process.ts'

/** Everything a server does day by day: it must take no more of the machine for having done it. */

/** Tests come and go with accounts of their own. */
const accounts = 20

/** Sends one of the things that users do; how many requests that were. */
export async function doSomething (server: Running, random: Random): Promise<number> {
  try {
    return await doOne(server, random)
  } catch (error) {
    // Users of one account get into each other's way: what one removes another does not find.
    if (error instanceof MomockError && error.status < 500) return 1
    throw error
  }
}

async function doOne (server: Running, random: Random): Promise<number> {
  const token = `sandbox-soak-${random.integer(1, accounts)}`
  const client = server.as(token)
  const dice = random.next()
  if (dice < 0.6) return await pay(server, random, token)
  if (dice < 0.7) {
    await client.payments({ limit: 20 })
    await client.callbacks({ limit: 20, order: 'newest' })
    return 2
  }
  if (dice < 0.76) return await waitFor(server, random, token)
  if (dice < 0.82) {
    await client.count({ path: '/v2/*', body: { amount: '15' } })
    await client.verify([{ request: { path: '/v2/deposits' }, atMost: 1_000_000 }])
    return 2
  }
  if (dice < 0.86) return await openPages(server, random, token)
  if (dice < 0.89) {
    await client.scenario({ name: 'soak', when: { amount: '77' }, reject: 'INVALID_AMOUNT' })
    await client.removeScenario('soak')
    return 2
  }
  if (dice < 0.92) {
    await client.snapshot('soak')
    await client.restore('soak')
    return 2
  }
  if (dice < 0.95) {
    await client.coverage()
    await client.invariants()
    return 2
  }
  if (dice < 0.97) {
    await server.call('GET', '/v2/nowhere', undefined, { token: `nobody-${random.uuid()}` })
    return 1
  }
  // An account starts anew, so that what is stored does not grow.
  await client.reset()
  return 1
}

async function pay (server: Running, random: Random, token: string): Promise<number> {
  const kind = random.pick(kindNames)
  const version = random.pick(kinds[kind].versions)
  const path = pathOf(kind, version)
  const id = random.uuid()
  const payoutIds = [random.uuid(), random.uuid()] as const
  const body = bodyOf(kind, version, { id, depositId: random.uuid(), payoutIds })
  await server.call('POST', path, body, { token })
  await server.call('POST', path, body, { token })
  await server.call('GET', `${path}/${id}`, undefined, { token })
  return 3
}

async function waitFor (server: Running, random: Random, token: string): Promise<number> {
  const id = random.uuid()
  await server.call('POST', '/v2/deposits', bodyOf('deposit', 'v2', { id }), { token })
  const wish = { kind: 'deposit', id, until: 'PROCESSING', timeout: '2s' }
  await server.call('POST', '/__admin/wait', wish, { token })
  return 2
}

/** The pages of a payment, a checkout and the phone, as a browser asks for them. */
async function openPages (server: Running, random: Random, token: string): Promise<number> {
  const { body } = await server.call<{ redirectUrl: string }>(
    'POST',
    '/v2/paymentpage',
    {
      depositId: random.uuid(),
      returnUrl: 'https://shop.example/back',
      country: 'ZMB'
    },
    { token }
  )
  const pages = [new URL(body.redirectUrl).pathname, `/__admin/phone/${customer}`]
  for (const page of pages) {
    const headers = { accept: 'text/html', authorization: `Bearer ${token}` }
    const response = await fetch(server.url + page, { headers })
    await response.text()
  }
  return pages.length + 1
}
