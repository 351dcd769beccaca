import { load } from './museum.ts'

/**
 * Runs a merchant of the museum as a program: node test/exam/serve.ts NAME, with the variables an
 * exam gives it.
 */

const {
  PAWAPAY_BASE_URL = 'http://127.0.0.1:7171',
  PAWAPAY_API_TOKEN = 'exam-token',
  PORT = '3000'
} = process.env
const Chosen = await load(process.argv[2] ?? 'good')
const merchant = new Chosen({ baseUrl: PAWAPAY_BASE_URL, token: PAWAPAY_API_TOKEN })
await merchant.open(Number(PORT))
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    merchant.close().then(() => process.exit(0))
  })
}
