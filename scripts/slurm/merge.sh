#!/bin/bash
# Judges the shares that are there; those that are missing are named.
#SBATCH --job-name=pgsweep-merge
#SBATCH --ntasks=1
#SBATCH --output=pgsweep-merge.log
set -euo pipefail

results=${RESULTS:-$SLURM_SUBMIT_DIR/shards}
exec pgsweep merge "$results"/[0-9]* --out "${MERGED:-$SLURM_SUBMIT_DIR/merged}" --full
