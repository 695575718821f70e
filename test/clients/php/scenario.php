<?php

declare(strict_types=1);

/*
 * A customer of Folio, from the registration of a buyer to a verified webhook.
 * test/clients/typescript/LanguageClients.full.test.ts has the expected result of each step.
 */

use Folio\ApiException;
use Folio\Client;
use Folio\Violation;
use Folio\Webhooks;
use Folio\WebhookVerificationException;

require __DIR__ . '/../../../src/clients/php/autoload.php';

[$url, $key, $run] = [getenv('FOLIO_URL'), getenv('FOLIO_KEY'), getenv('FOLIO_RUN')];
$port = getenv('FOLIO_RECEIVER_PORT');
$folio = new Client($url, $key, version: '2026-01-01');

function say(string $step, array $result): void
{
    echo json_encode(['step' => $step] + $result, JSON_THROW_ON_ERROR), "\n";
}

function refusal(callable $call): array
{
    try {
        $call();
        return [];
    } catch (ApiException $error) {
        $fields = array_map(fn (Violation $one) => $one->param, $error->errors);
        $said = ['status' => $error->status, 'code' => $error->errorCode];
        return $said + ['fields' => $fields, 'request_id' => $error->requestId];
    }
}

function reason(mixed ...$webhook): string
{
    try {
        return Webhooks::verify(...$webhook)['type'];
    } catch (WebhookVerificationException $error) {
        return $error->reason;
    }
}

/** Responds to one POST, and returns its body and its headers. */
function receive($server): array
{
    $connection = stream_socket_accept($server, 60);
    fgets($connection);
    $headers = [];
    while (($line = trim(fgets($connection))) !== '') {
        [$name, $value] = explode(':', $line, 2);
        $headers[$name] = trim($value);
    }
    $length = (int) array_change_key_case($headers)['content-length'];
    $body = stream_get_contents($connection, $length);
    fwrite($connection, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    fclose($connection);
    return [$body, $headers];
}

$server = stream_socket_server("tcp://127.0.0.1:$port");
$endpoint = $folio->webhookEndpoints->create([
    'url' => "http://127.0.0.1:$port/",
    'subscribed_events' => ['invoice.accepted_by_authority', 'invoice.rejected_by_authority'],
]);

$buyer = [
    'identification' => ['type' => '31', 'number' => '900000001', 'check_digit' => '1'],
    'legal_name' => 'Cliente de Prueba S.A.S.',
    'organization_type' => '1',
];
$customer = $folio->customers->create($buyer, "$run-customer");
say('customer', ['id' => $customer['id']]);

$order = [
    'customer_id' => $customer['id'],
    'currency' => 'COP',
    'operation_type' => '10',
    'payment_means' => ['code' => '10', 'type' => '1'],
    'lines' => [[
        'description' => 'Consultoría',
        'quantity' => '1.00',
        'unit_code' => '94',
        'unit_price' => '100000.00',
        'line_extension_amount' => '100000.00',
        'taxes' => [['code' => '01', 'rate' => '19.00', 'base' => '100000.00', 'value' => '19000.00']],
    ]],
];
$invoice = $folio->invoices->create($order, "$run-order");
say('invoice', ['id' => $invoice['id'], 'status' => $invoice['status']]);
$again = $folio->invoices->create($order, "$run-order");
say('repeat', ['id' => $again['id'], 'same' => $again === $invoice]);
$changed = $order + ['metadata' => ['order' => '1002']];
say('conflict', refusal(fn () => $folio->invoices->create($changed, "$run-order")));

[$body, $headers] = receive($server);
$event = Webhooks::verify($body, $headers, $endpoint['secret']);
say('webhook', ['type' => $event['type'], 'invoice' => $event['data']['object']['id']]);
$other = 'whsec_b3RoZXIgdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE=';
$unsigned = array_filter($headers, fn (string $name) => !str_contains(strtolower($name), 'signature'), ARRAY_FILTER_USE_KEY);
say('forged', [
    'secret' => reason($body, $headers, $other),
    'body' => reason("$body ", $headers, $endpoint['secret']),
    'unsigned' => reason($body, $unsigned, $endpoint['secret']),
    'rotated' => reason($body, $headers, [$other, $endpoint['secret']]),
]);
$issued = $folio->invoices->retrieve($invoice['id']);
say('amounts', ['total' => $issued['totals']['payable_amount'], 'number' => $issued['full_number']]);
say('files', [
    'pdf' => substr($folio->invoices->pdf($invoice['id']), 0, 5),
    'xml' => substr($folio->invoices->xml($invoice['id']), 0, 5),
]);

say('invalid', refusal(fn () => $folio->customers->create(['organization_type' => '3'])));
say('unauthorized', refusal(fn () => (new Client($url, 'sk_test_nobody'))->account->retrieve()));
say('missing', refusal(fn () => $folio->invoices->retrieve('inv_none')));

foreach (range(0, 3) as $index) {
    $folio->customers->create($buyer, "$run-customer-$index");
}
say('pages', ['ids' => array_column(iterator_to_array($folio->customers->list(['limit' => 2])), 'id')]);
