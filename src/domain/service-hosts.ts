/** Public host names and addresses of the service. HTTPS clients with hard-coded hosts use them. */

/** What a host of the service serves. */
export type HostRole = 'api' | 'checkout' | 'paymentPage'

/** Role of each host. The `.cloud` hosts are retired, but old clients have them. */
const roles: Readonly<Record<string, HostRole>> = {
  'api.sandbox.pawapay.io': 'api',
  'api.pawapay.io': 'api',
  'api.sandbox.pawapay.cloud': 'api',
  'api.pawapay.cloud': 'api',
  'checkout.sandbox.pawapay.io': 'checkout',
  'checkout.pawapay.io': 'checkout',
  'sandbox.paywith.pawapay.io': 'paymentPage',
  'paywith.pawapay.io': 'paymentPage'
}

/** All hosts of the service. */
export const serviceHosts: readonly string[] = Object.keys(roles)

/** Addresses from which the service sends callbacks, as it publishes them: its sandbox first. */
export const callbackAddresses: readonly string[] = [
  '3.64.89.224',
  '18.192.208.15',
  '18.195.113.136',
  '3.72.212.107',
  '54.73.125.42',
  '54.155.38.214',
  '54.73.130.113'
]

/** Returns the role of a host, or undefined for a host that is not the service's. */
export function roleOf (host: string): HostRole | undefined {
  return Object.hasOwn(roles, host) ? roles[host] : undefined
}
