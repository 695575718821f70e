<?php

declare(strict_types=1);

/* Verifies the webhooks that it reads. For each, it prints the type of its event, or the reason for the rejection. */

use Folio\Webhooks;
use Folio\WebhookVerificationException;

require __DIR__ . '/../../../src/clients/php/autoload.php';

$verdict = function (array $one): mixed {
    $payload = $one['payload'] === null ? null : base64_decode($one['payload']);
    try {
        return Webhooks::verify($payload, $one['headers'], $one['secret'], $one['now'], $one['tolerance'])['type'];
    } catch (WebhookVerificationException $error) {
        return $error->reason;
    }
};

echo json_encode(array_map($verdict, json_decode(stream_get_contents(STDIN), true))), "\n";
