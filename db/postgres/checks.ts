import { lockQueue } from '../../src/domain/due-queue.ts'

/** SQLSTATEs of the checks of a ledger that several servers share. */
export const checkFailures = {
  /** The server did not renew its lease for too long: others have taken over its work. */
  dead: 'MM001',
  /** Other servers have changed accounts. */
  outdated: 'MM002',
  /** Other servers have locked accounts; the message lists them. */
  locked: 'MM003',
  /** A queue of the work is not this server's any more. */
  leaseLost: 'MM004'
} as const

/**
 * Checks of transactions of a ledger that several servers share. The lock of the server's own row
 * lets others wait for the end of its transaction, and keeps them from taking over its queues.
 */
export const checkFunctions = `
  CREATE FUNCTION check_ledger(this_server BIGINT, known BIGINT, used BIGINT[]) RETURNS void
    LANGUAGE plpgsql AS $$
    DECLARE locked TEXT;
    BEGIN
      SELECT string_agg(account::text, ',') INTO locked FROM due_leases
      WHERE account = ANY (used) AND queue = ${lockQueue} AND owner <> this_server;
      IF locked IS NOT NULL THEN
        RAISE EXCEPTION '%', locked USING ERRCODE = '${checkFailures.locked}';
      END IF;
      IF known < (SELECT count FROM account_changes) THEN
        RAISE EXCEPTION 'accounts have changed' USING ERRCODE = '${checkFailures.outdated}';
      END IF;
    END $$;
  CREATE FUNCTION enter_ledger(this_server BIGINT, known BIGINT, used BIGINT[], claimed BIGINT[],
      lease_accounts BIGINT[], lease_queues BIGINT[]) RETURNS void
    LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM 1 FROM server_leases WHERE owner = this_server FOR NO KEY UPDATE;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'the server has no lease' USING ERRCODE = '${checkFailures.dead}';
      END IF;
      IF claimed <> '{}' THEN
        PERFORM 1 FROM accounts WHERE id = ANY (claimed) ORDER BY id FOR NO KEY UPDATE;
      END IF;
      IF lease_accounts <> '{}' AND EXISTS (
        SELECT 1 FROM unnest(lease_accounts, lease_queues) AS needed (account, queue)
        WHERE NOT EXISTS (
          SELECT 1 FROM due_leases WHERE due_leases.account = needed.account
            AND due_leases.queue = needed.queue AND owner = this_server)
      ) THEN
        RAISE EXCEPTION 'a queue was taken over' USING ERRCODE = '${checkFailures.leaseLost}';
      END IF;
      PERFORM check_ledger(this_server, known, used);
    END $$;`
