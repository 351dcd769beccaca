import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectMomock } from 'momock'
import { GenericContainer, TestContainers, Wait } from 'testcontainers'
import { openShop } from './shop.mjs'

/** @type {import('testcontainers').StartedTestContainer} */
let container
/** Client with the same calls as createMomock(). @type {import('momock').MomockClient} */
let mock

before(async () => {
  container = await new GenericContainer('momock')
    .withEnvironment({
      MOMOCK_CLOCK: 'frozen',
      MOMOCK_DB: ':memory:',
      MOMOCK_ADMIN_TOKEN: 'only-this-test'
    })
    .withExposedPorts(7070)
    // The health check of the image runs every ten seconds, which is too slow for a test.
    .withHealthCheck({
      test: ['CMD', 'momock', 'healthcheck'],
      interval: 500,
      timeout: 5000,
      retries: 60
    })
    .withWaitStrategy(Wait.forHealthCheck())
    .start()
  mock = connectMomock(
    `http://${container.getHost()}:${container.getMappedPort(7070)}`,
    'sandbox-testcontainers',
    { adminToken: 'only-this-test' }
  )
})
after(() => container.stop())

test('a customer pays', async () => {
  const shop = await openShop(mock)
  // The container reaches this process as host.testcontainers.internal.
  await TestContainers.exposeHostPorts(shop.port)
  await mock.configure({
    callbacks: { deposits: `http://host.testcontainers.internal:${shop.port}/callbacks` }
  })
  const order = await shop.pay()
  await mock.advance('1m')
  assert.equal(shop.orders.get(order), 'COMPLETED')
  await shop.close()
})
