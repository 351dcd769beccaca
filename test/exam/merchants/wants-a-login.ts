import Merchant from './good.ts'

/** Sends who is not logged in to a login page. */
export default class extends Merchant {
  static override fails = ['SIG-07', 'END-02']

  override async onCallback (): Promise<[number, Record<string, string>]> {
    return [302, { location: '/login' }]
  }
}
