/** Every cross-check, a line each. */

export { errorsInAnswers, failuresLogged, insertsBecomeUpdates } from './checks/answers.ts';
export { cacheMisses } from './checks/cache-misses.ts';
export { databaseHardlyUsed } from './checks/database-hardly-used.ts';
export { eventLoopInTransactions } from './checks/event-loop-in-transactions.ts';
export { generatorLimit } from './checks/generator-limit.ts';
export { housekeeping } from './checks/housekeeping.ts';
export { idleInTransactions } from './checks/idle-in-transaction.ts';
export { laterWork } from './checks/later-work.ts';
export { lockFailures, lockWaits } from './checks/locks.ts';
export { noisierArm } from './checks/noisier-arm.ts';
export { planChanged } from './checks/plan-changed.ts';
export { poolUnused } from './checks/pool-unused.ts';
export { poolTooSmall, poolWaits } from './checks/pool-waits.ts';
export { poolerBusy, poolerHeld, poolerTooSmall } from './checks/pooler.ts';
export { searchFailures, searchWaits } from './checks/search.ts';
export { tempFiles } from './checks/temp-files.ts';
export { transactionInProgress } from './checks/transaction-in-progress.ts';
export { transactions } from './checks/transactions.ts';
