// The release that asks the database for each thing by itself.

export const loansOf = async (query, user) => {
  const loans = await query('SELECT id, item_id, due FROM loans WHERE user_id = $1 ORDER BY id', [user]);
  const shown = [];
  for (const { id, item_id, due } of loans) {
    const [item] = await query('SELECT barcode, title FROM items WHERE id = $1', [item_id]);
    shown.push({ id, due, ...item });
  }
  return shown;
};

export const loanOf = async (query, id) => {
  const [loan] = await query('SELECT id, item_id, policy_id, due FROM loans WHERE id = $1', [id]);
  if (loan === undefined) return null;
  const [item] = await query('SELECT barcode, title FROM items WHERE id = $1', [loan.item_id]);
  const [policy] = await query('SELECT name AS policy FROM policies WHERE id = $1', [loan.policy_id]);
  return { id: loan.id, due: loan.due, ...item, ...policy };
};

export const checkOut = async (query, { user, item, policy }) => {
  const [found] = await query('SELECT id FROM items WHERE id = $1', [item]);
  const [{ days }] = await query('SELECT days FROM policies WHERE id = $1', [policy]);
  const [loan] = await query(
    'INSERT INTO loans (user_id, item_id, policy_id, due) VALUES ($1, $2, $3, current_date + $4::int) RETURNING id',
    [user, found.id, policy, days],
  );
  return loan.id;
};

export const checkIn = async (query, id) => {
  const [loan] = await query('SELECT id FROM loans WHERE id = $1', [id]);
  if (loan === undefined) return false;
  await query('INSERT INTO history (loan_id) VALUES ($1)', [id]);
  await query('DELETE FROM loans WHERE id = $1', [id]);
  return true;
};
