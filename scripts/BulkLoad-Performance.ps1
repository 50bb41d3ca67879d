#!/usr/bin/env pwsh

<#
.SYNOPSIS
  Loads a whole Ed-Fi data set into a document service and says how long it took.

.DESCRIPTION
  Posts every document of a data set, each after all that it refers to, and prints "Starting Measure for ...",
  "Total Time: hh:mm:ss.fffffff" and the number of documents for each round. Without -BaseUrl, the service that comes
  with pgsweep is started on an empty database of its own, once for each round. Calls `pgsweep bulk-load`, which has more
  options, and ends with its exit code: 0 where all documents were loaded, 2 for bad usage, 3 where the machine cannot do
  it, 4 where any was lost, doubled or never accepted. Where PowerShell itself cannot bind a parameter, as where its
  value is left out, the exit code is PowerShell's own: 1.

.PARAMETER Template
  The data set: PartialGrandBend, GrandBend or Southridge.

.PARAMETER Documents
  How many documents of the data set are loaded; all of them where left out, with a variant and without.

.PARAMETER Update
  Loads the data set once unmeasured first, so that every measured write is an update.

.PARAMETER BaseUrl
  A service that already runs, such as http://127.0.0.1:3000.

.PARAMETER AllowRemote
  Lets the load go to a -BaseUrl that is not on this machine.

.PARAMETER Variant
  A variant of scenarios/index-and-lock.yaml, whose settings the service gets.

.PARAMETER Connections
  TCP connections; 25 where left out.

.PARAMETER InFlight
  Requests under way at any time, at most; as many as connections where left out.

.PARAMETER Rounds
  How often the data set is loaded, each time into a fresh database.

.PARAMETER Out
  The folder for the result; results/bulk-load-<time> where left out.

.PARAMETER PassThru
  Writes an object for each round in place of the text: Template, Documents, TotalSeconds, DocumentsPerSecond and Path,
  the folder of the result.

.PARAMETER Unknown
  Takes whatever is no parameter, so that it is refused with the exit code 2.

.EXAMPLE
  ./scripts/BulkLoad-Performance.ps1

  Loads PartialGrandBend once.

.EXAMPLE
  ./scripts/BulkLoad-Performance.ps1 -Template GrandBend -Update -Rounds 3

  Measures updates, three times.

.EXAMPLE
  ./scripts/BulkLoad-Performance.ps1 -Variant "Pool 25 conn" -Out results/pool-25

  Loads PartialGrandBend with the settings of a variant.

.EXAMPLE
  ./scripts/BulkLoad-Performance.ps1 -BaseUrl http://127.0.0.1:3000

  Loads into a service that already runs.

.EXAMPLE
  ./scripts/BulkLoad-Performance.ps1 -Rounds 3 -PassThru | Measure-Object TotalSeconds -Average

  Takes the mean of three loads.
#>

#Requires -Version 7.0

# Whatever is wrong with a value is said by the command, which ends with 2: PowerShell's own checks would end with 1.
[CmdletBinding(PositionalBinding = $false)]
param(
  [Parameter(Position = 0)]
  [ArgumentCompletions('PartialGrandBend', 'GrandBend', 'Southridge')]
  [string] $Template = 'PartialGrandBend',

  [string] $Documents,

  [switch] $Update,

  [string] $BaseUrl,

  [switch] $AllowRemote,

  [ArgumentCompleter({
      param($command, $parameter, $word)
      $bin = Join-Path $PSScriptRoot '..' 'src' 'cli' 'bin.mjs'
      $start = $word.Trim("'", '"')
      & node $bin bulk-load --list-variants 2>$null |
        Where-Object { $_.StartsWith($start, [StringComparison]::OrdinalIgnoreCase) } |
        ForEach-Object {
          $quoted = "'" + $_.Replace("'", "''") + "'"
          [System.Management.Automation.CompletionResult]::new($quoted, $_, 'ParameterValue', $_)
        }
    })]
  [string] $Variant,

  [string] $Connections,

  [string] $InFlight,

  [string] $Rounds = '1',

  [string] $Out,

  [switch] $PassThru,

  [Parameter(ValueFromRemainingArguments, DontShow)]
  [object[]] $Unknown
)

$ErrorActionPreference = 'Stop'
# Else every exit code but 0 is an error of PowerShell's, and ends the script with 1.
$PSNativeCommandUseErrorActionPreference = $false

if ($PSBoundParameters.ContainsKey('Unknown')) {
  [Console]::Error.WriteLine("error: unknown: $Unknown. Get-Help $PSCommandPath lists the parameters.")
  exit 2
}

$flags = [ordered]@{
  Template    = '--template'
  Documents   = '--documents'
  BaseUrl     = '--base-url'
  Variant     = '--variant'
  Connections = '--connections'
  InFlight    = '--in-flight'
  Rounds      = '--rounds'
  Out         = '--out'
}

$arguments = @((Join-Path $PSScriptRoot '..' 'src' 'cli' 'bin.mjs'), 'bulk-load')
foreach ($name in $flags.Keys) {
  $value = Get-Variable -Name $name -ValueOnly
  # A variable that is not set is no wish for the default.
  if ($PSBoundParameters.ContainsKey($name) -and [string]::IsNullOrWhiteSpace($value)) {
    [Console]::Error.WriteLine("error: -$name is empty: leave it out, or give it a value.")
    exit 2
  }
  if ($value) { $arguments += $flags[$name], $value }
}
if ($Update) { $arguments += '--update' }
if ($AllowRemote) { $arguments += '--allow-remote' }
if ($PassThru) { $arguments += '--json' }

Write-Verbose "node $($arguments -join ' ')"
if (-not $PassThru) {
  & node @arguments
  exit $LASTEXITCODE
}

$json = & node @arguments
$exitCode = $LASTEXITCODE
if ($json) {
  $result = $json -join "`n" | ConvertFrom-Json
  foreach ($round in $result.rounds) {
    $bulk = $round.result.bulk
    $seconds = $bulk.totalMs / 1000
    [pscustomobject]@{
      Template           = $Template
      Documents          = $bulk.documents
      TotalSeconds       = $seconds
      DocumentsPerSecond = $bulk.loaded / $seconds
      Path               = $result.path
    }
  }
}
exit $exitCode
