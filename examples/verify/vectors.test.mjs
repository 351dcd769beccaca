import { readdirSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { equal } from 'node:assert/strict'
import { isGenuine } from './verify.mjs'

const folder = new URL('../vectors/', import.meta.url)
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const vector = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
  const { name, decision, reason } = vector
  const body = Buffer.from(vector.body, 'base64')
  test(`${decision} ${name}: ${reason}`, { skip: decision === 'either' }, () =>
    equal(isGenuine(vector, body, vector.keys, vector.time * 1000), decision === 'accept'))
}
