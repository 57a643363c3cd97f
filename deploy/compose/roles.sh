#!/bin/sh
# PostgreSQL's image runs this once, when it makes its data directory. docs/database.md explains the two roles.
# Not run here: the image. The tests run this script with Debian's psql 15 on Debian's PostgreSQL.
set -eu
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv owner_password DHARA_OWNER_PASSWORD
\getenv app_password DHARA_APP_PASSWORD
create role dhara_owner login password :'owner_password';
create role dhara_app login password :'app_password';
create database dhara owner dhara_owner;
SQL
