<?php

declare(strict_types=1);

/* Judges the webhooks that it reads, and prints the verdict on each: the type of its event, or the reason for refusing it. */

use Folio\Webhooks;
use Folio\WebhookVerificationException;

require __DIR__ . '/../../../src/client/php/autoload.php';

$verdict = function (array $one): mixed {
    $payload = $one['payload'] === null ? null : base64_decode($one['payload']);
    try {
        return Webhooks::verify($payload, $one['headers'], $one['secret'], $one['now'], $one['tolerance'])['type'];
    } catch (WebhookVerificationException $error) {
        return $error->reason;
    }
};

echo json_encode(array_map($verdict, json_decode(stream_get_contents(STDIN), true))), "\n";
