import Merchant from './good.ts'

/** Fetches the keys once, and never again. */
export default class extends Merchant {
  static override fails = ['SIG-06']

  override async key (id: string) {
    if (this.keys.length === 0) this.keys = (await this.call('GET', '/v2/public-key/http')).json
    return this.keys.find((key) => key.id === id)?.key
  }
}
