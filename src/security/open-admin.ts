import { isLoopback } from '../lib/hosts.ts'

/** Settings that decide who can reach the admin API. */
export interface Reach {
  /** Address that the server listens on. */
  host: string
  adminToken?: string | undefined
}

/**
 * Returns the warning about an admin API that other machines can reach and nothing protects. The
 * start, the dashboard and `momock doctor` show the same words.
 */
export function findOpenAdmin ({
  host,
  adminToken
}: Reach): { problem: string; fix: string } | undefined {
  if (adminToken !== undefined || isLoopback(host)) return undefined
  return {
    problem: `everyone who can reach ${host} can control this mock: it has no admin token`,
    fix: 'set one with --admin-token or MOMOCK_ADMIN_TOKEN'
  }
}
