<?php

declare(strict_types=1);

// For a project without Composer: require 'folio/autoload.php';
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Folio\\')) {
        $file = __DIR__ . '/src/' . strtr(substr($class, strlen('Folio\\')), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
