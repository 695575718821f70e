<?php

declare(strict_types=1);

/* Calls every method of every resource once, and prints the public names that have no example. */

require __DIR__ . '/../../../src/clients/php/autoload.php';

$folio = new Folio\Client(getenv('FOLIO_URL'), 'sk_test_x');
$undocumented = [];

$see = function (string $name, ReflectionClass|ReflectionMethod $thing) use (&$undocumented): void {
    $text = (string) $thing->getDocComment();
    if (!str_contains($text, '`') && !str_contains($text, '     $')) {
        $undocumented[] = $name;
    }
};

$isOwn = fn (ReflectionMethod $method) => !str_starts_with($method->getName(), '__');

$folio->versions();
foreach ((new ReflectionClass($folio))->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
    if ($isOwn($method)) {
        $see("Client::{$method->getName()}", $method);
    }
}
foreach (get_object_vars($folio) as $name => $resource) {
    foreach ((new ReflectionClass($resource))->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        if ($isOwn($method)) {
            $see("$name->{$method->getName()}", $method);
            $needed = array_slice($method->getParameters(), 0, $method->getNumberOfRequiredParameters());
            $result = $method->invokeArgs($resource, array_map(
                fn (ReflectionParameter $one) => ['array' => [], 'int' => 1, 'string' => 'x1'][(string) $one->getType()],
                $needed,
            ));
            if ($result instanceof Generator) {
                $result->current();
            }
        }
    }
}
foreach (glob(__DIR__ . '/../../../src/clients/php/src/*.php') as $file) {
    $class = new ReflectionClass('Folio\\' . basename($file, '.php'));
    if (!str_contains((string) $class->getDocComment(), '@internal') && $class->getName() !== Folio\Webhooks::class) {
        $see($class->getName(), $class);
    }
}
$see('Webhooks::verify', new ReflectionMethod(Folio\Webhooks::class, 'verify'));
echo json_encode(['undocumented' => $undocumented]), "\n";
