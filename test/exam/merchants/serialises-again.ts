import Merchant from './good.ts'

/** Computes the digest of JSON that it has parsed and written again. */
export default class extends Merchant {
  static override fails = ['SIG-09']

  override isDigest (header: string, body: Buffer) {
    return super.isDigest(header, Buffer.from(JSON.stringify(JSON.parse(body.toString()))))
  }
}
