import { inputsOfOthers, type MemoryCalls, type Orders } from '../services/server-memory.ts'
import type { Peers } from './peers.ts'

/** Answers that were ordered before a server started, or that it has when it stops. */

/** Orders of a server that has none. */
export const noOrders: Orders = { orderSink: [], orderStatusChecks: [] }

/**
 * Orders on this server what was ordered on the others. The answers to the next requests stay
 * where they are. `loadCalls` is called only if there is something.
 */
export async function adoptOrders (
  peers: Peers,
  loadCalls: () => Promise<MemoryCalls>
): Promise<void> {
  for (const { value } of await peers.askAll<Orders>('listOrders', {})) {
    if (isEmpty(value)) continue
    const calls = await loadCalls()
    calls.adoptOrders({ orders: leaveAnswers(value) })
  }
}

/** Gives the answers to the next requests to another server. The rest ask it for them. */
export async function handOverOrders (peers: Peers, calls: MemoryCalls): Promise<void> {
  const orders = chooseAnswers(calls.listOrders({}))
  if (isEmpty(orders)) return
  const rest = { orders: leaveAnswers(orders) }
  calls.adoptOrders(rest)
  let input = { orders }
  for (const server of await peers.list()) {
    const answer = await peers.ask(server, 'adoptOrders', input)
    if (answer !== undefined) input = rest
  }
}

/** Returns the orders that have answers to the next requests. */
function chooseAnswers ({ orderSink, orderStatusChecks }: Orders): Orders {
  return {
    orderSink: orderSink.filter(({ orders }) => orders.answers.length > 0),
    orderStatusChecks: orderStatusChecks.filter(({ orders }) => orders.answers.length > 0)
  }
}

/** Returns orders without the answers to the next requests, which another server has. */
function leaveAnswers ({ orderSink, orderStatusChecks }: Orders): Orders {
  return {
    orderSink: orderSink.map(inputsOfOthers.orderSink),
    orderStatusChecks: orderStatusChecks.map(inputsOfOthers.orderStatusChecks)
  }
}

function isEmpty (orders: Orders): boolean {
  return Object.values(orders).every(({ length }) => length === 0)
}
