// The release that asks for all that an answer needs in one statement.

export const loansOf = (query, user) =>
  query(
    `SELECT loans.id, due, barcode, title FROM loans JOIN items ON items.id = item_id
     WHERE user_id = $1 ORDER BY loans.id`,
    [user],
  );

export const loanOf = async (query, id) => {
  const [loan] = await query(
    `SELECT loans.id, due, barcode, title, name AS policy
     FROM loans JOIN items ON items.id = item_id JOIN policies ON policies.id = policy_id WHERE loans.id = $1`,
    [id],
  );
  return loan ?? null;
};

export const checkOut = async (query, { user, item, policy }) => {
  const [loan] = await query(
    `INSERT INTO loans (user_id, item_id, policy_id, due)
     SELECT $1::int, items.id, policies.id, current_date + days FROM items, policies
     WHERE items.id = $2 AND policies.id = $3 RETURNING id`,
    [user, item, policy],
  );
  return loan.id;
};

export const checkIn = async (query, id) => {
  const returned = await query(
    `WITH gone AS (DELETE FROM loans WHERE id = $1 RETURNING id)
     INSERT INTO history (loan_id) SELECT id FROM gone RETURNING loan_id`,
    [id],
  );
  return returned.length === 1;
};
