#!/bin/bash
# One share of a plan for each task of an array, then all of them merged:
#   job=$(sbatch --parsable shards.sh pgsweep.yaml)
#   sbatch --dependency=afterany:$job merge.sh
# A share that was lost alone, as one of 8: SHARDS=8 sbatch --array=3 shards.sh pgsweep.yaml
#SBATCH --job-name=pgsweep
#SBATCH --array=1-8
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --output=pgsweep-%a.log
set -euo pipefail

scenario=${1:-pgsweep.yaml}
# All shares together.
rounds=${ROUNDS:-32}
results=${RESULTS:-$SLURM_SUBMIT_DIR/shards}
out=$results/$SLURM_ARRAY_TASK_ID
mkdir -p "$results"
export PGSWEEP_MACHINE=$SLURMD_NODENAME

# A task that was requeued goes on with the rounds that it had finished.
if [ -s "$out/journal.jsonl" ]; then exec pgsweep sweep --resume "$out"; fi
exec pgsweep sweep "$scenario" --shard "$SLURM_ARRAY_TASK_ID/${SHARDS:-$SLURM_ARRAY_TASK_COUNT}" --rounds "$rounds" --out "$out"
