/** The lower triangle of a symmetric matrix, row by row: entry (row, column) is at row * size + column. */
export type Lower = Float64Array;

/**
 * Cholesky's factor L of a positive definite matrix, L Lᵀ = matrix, in its place. Where rounding leaves a pivot at 0 or
 * below, it is taken as `least`.
 */
export function factorize(matrix: Lower, size: number, least = 1e-12): Lower {
  for (let row = 0; row < size; row++) {
    const at = row * size;
    for (let column = 0; column <= row; column++) {
      const other = column * size;
      let sum = matrix[at + column] ?? 0;
      for (let k = 0; k < column; k++) sum -= (matrix[at + k] ?? 0) * (matrix[other + k] ?? 0);
      matrix[at + column] = column === row ? Math.sqrt(Math.max(least, sum)) : sum / (matrix[other + column] ?? 1);
    }
  }
  return matrix;
}

/** Solves L x = values, in the place of the values. */
export function solveLower(lower: Lower, size: number, values: Float64Array): Float64Array {
  for (let row = 0; row < size; row++) {
    let sum = values[row] ?? 0;
    for (let k = 0; k < row; k++) sum -= (lower[row * size + k] ?? 0) * (values[k] ?? 0);
    values[row] = sum / (lower[row * size + row] ?? 1);
  }
  return values;
}

/** The logarithm of the determinant of L Lᵀ. */
export function logDeterminant(lower: Lower, size: number): number {
  let sum = 0;
  for (let row = 0; row < size; row++) sum += 2 * Math.log(lower[row * size + row] ?? 1);
  return sum;
}
