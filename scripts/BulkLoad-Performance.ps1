<#
.SYNOPSIS
  Loads a whole Ed-Fi data set into a document service and says how long it took.

.DESCRIPTION
  Posts every document of a data set, each after all that it refers to, and prints "Starting Measure for ..." and
  "Total Time: hh:mm:ss.fffffff" for each round. Without -BaseUrl, the service that comes with pgsweep is started on an
  empty database of its own, once for each round. Calls `pgsweep bulk-load`, which has more options, and ends with its
  exit code: 0 where all documents were loaded, 2 for bad usage, 4 where any was lost, doubled or never accepted.

.PARAMETER Template
  The data set: PartialGrandBend, GrandBend or Southridge.

.PARAMETER Update
  Loads the data set once unmeasured first, so that every measured write is an update.

.PARAMETER BaseUrl
  A service that already runs, such as http://127.0.0.1:3000.

.PARAMETER Variant
  A variant of scenarios/index-and-lock.yaml, whose settings the service gets.

.PARAMETER Rounds
  How often the data set is loaded, each time into a fresh database.

.PARAMETER Out
  The folder for the result; results/bulk-load-<time> where left out.

.EXAMPLE
  ./scripts/BulkLoad-Performance.ps1

  Loads PartialGrandBend once.

.EXAMPLE
  ./scripts/BulkLoad-Performance.ps1 -Template GrandBend -Update -Rounds 3

  Measures updates, three times.

.EXAMPLE
  ./scripts/BulkLoad-Performance.ps1 -Variant "Pool 25 conn" -Out results/pool-25

.EXAMPLE
  ./scripts/BulkLoad-Performance.ps1 -BaseUrl http://127.0.0.1:3000
#>
#Requires -Version 7.0
[CmdletBinding()]
param(
  [ValidateSet('PartialGrandBend', 'GrandBend', 'Southridge')]
  [string] $Template = 'PartialGrandBend',

  [switch] $Update,

  [string] $BaseUrl,

  [string] $Variant,

  [ValidateRange(1, 1000)]
  [int] $Rounds = 1,

  [string] $Out
)

$ErrorActionPreference = 'Stop'

$cli = Join-Path $PSScriptRoot '..' 'src' 'cli' 'bin.mjs'
$arguments = @($cli, 'bulk-load', '--template', $Template, '--rounds', $Rounds)
if ($Update) { $arguments += '--update' }
if ($BaseUrl) { $arguments += '--base-url', $BaseUrl }
if ($Variant) { $arguments += '--variant', $Variant }
if ($Out) { $arguments += '--out', $Out }

& node @arguments
exit $LASTEXITCODE
