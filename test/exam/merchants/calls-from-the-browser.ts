import Merchant from './good.ts'

/** Calls the API from the page of its customer, token and all. */
export default class extends Merchant {
  static override fails = ['REQ-02']

  override headers () {
    return { origin: 'https://shop.example', 'user-agent': 'Mozilla/5.0 (Linux; Android 14)' }
  }
}
