import type pg from 'pg'

/** Longest time for the end of a connection: the network may be interrupted. */
export const endMs = 1000

/** Ends a connection, in order if PostgreSQL answers. */
export async function endClient (client: pg.Client | undefined): Promise<void> {
  if (client === undefined) return
  await limitTime(client.end(), endMs).catch(() => {})
  client.connection.stream.destroy()
}

/** Fails after a time: the network may be interrupted again. */
export async function limitTime (work: Promise<unknown>, ms: number): Promise<void> {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no answer')), ms)
  await Promise.race([work, expired]).finally(() => clearTimeout(timer))
}
