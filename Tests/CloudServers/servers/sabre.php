<?php
// Serves a directory by sabre/dav 1.8; run by PHP's own web server for each request. Settings come by the environment.
set_include_path('/usr/share/php');
// This version of sabre/dav is older than PHP 8, whose warnings would end up in its replies.
error_reporting(E_ALL & ~E_DEPRECATED & ~E_WARNING & ~E_NOTICE);
require 'Sabre/autoload.php';

$server = new \Sabre\DAV\Server(new \Sabre\DAV\FSExt\Directory(getenv('SABRE_FILES')));
$server->setBaseUri('/');
$users = new \Sabre\DAV\Auth\Backend\File(getenv('SABRE_USERS'));
$server->addPlugin(new \Sabre\DAV\Auth\Plugin($users, getenv('SABRE_REALM')));
$server->addPlugin(new \Sabre\DAV\Locks\Plugin(new \Sabre\DAV\Locks\Backend\File(getenv('SABRE_LOCKS'))));
$server->exec();
