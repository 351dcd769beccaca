<?php

// Waits for an HMAC of a shared secret, which the service does not send.
// fails: SIG-07

declare(strict_types=1);

require __DIR__ . '/merchant.php';

serve(fn (array $headers, string $body): bool => hash_equals(hash_hmac('sha256', $body, 'shared secret'), $headers['x-signature'] ?? ''));
