import pino from 'pino'
import { createApp } from '../app.ts'
import { completeConfig } from '../config/load-config.ts'
import { systemClock } from '../lib/clock.ts'
import { loadLazily } from '../lib/lazy.ts'
import { readContract, type Contract, type OpenApiDocument } from './contract.ts'

/**
 * Contract of this version, read from a server in this process without a port and without a file.
 * It is read once: making the document takes half a second of processor time.
 */
export const loadOwnContract = loadLazily(async (): Promise<Contract> => {
  const config = completeConfig({ db: ':memory:' })
  const app = await createApp(config, systemClock, pino({ level: 'silent' }))
  try {
    const response = await app.http.inject('/__admin/openapi.json')
    return readContract(response.json<OpenApiDocument>())
  } finally {
    await app.close()
  }
})
