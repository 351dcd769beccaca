import Merchant from './answers-401.ts'

/** Refuses each callback before it is verified, as a list of addresses does. */
export default class extends Merchant {
  override async onCallback () {
    return 403
  }
}
