import { Type } from '../lib/typebox.ts'

/** Flags of the commands that talk to a mock: its address, and the settings that lead to it. */

/** Creates the flag --url. Its older name --mock is accepted, too. */
export const createUrl = (description: string) =>
  Type.Optional(Type.String({ format: 'base-url', alias: 'mock', description }))

export const Url = createUrl(
  'the http or https URL of the mock; without it, host and port are used'
)

export const mockSettings = ['host', 'port', 'token', 'adminToken', 'config']
