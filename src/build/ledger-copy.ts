/** Copy of a ledger. The server does not need it, so `app.ts` does not load it. */
export { copyLedger, type CopiedTable, type CopyProgress } from '../../db/ledger-copy.ts'
