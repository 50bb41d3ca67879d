import pg from 'pg';

export async function open(options) {
  const pool = new pg.Pool(options);
  return {
    async post(id) {
      const { rows } = await pool.query(
        `SELECT p.id, p.title, p.body, p.created_at AS "createdAt", json_build_object('id', a.id, 'name', a.name) AS author
         FROM posts p JOIN authors a ON a.id = p.author_id WHERE p.id = $1`,
        [id],
      );
      return rows[0];
    },
    async postsOf(authorId) {
      const { rows } = await pool.query(
        'SELECT id, title, created_at AS "createdAt" FROM posts WHERE author_id = $1 ORDER BY id DESC LIMIT 20',
        [authorId],
      );
      return rows;
    },
    async addPost(authorId, title, body) {
      const { rows } = await pool.query('INSERT INTO posts (author_id, title, body) VALUES ($1, $2, $3) RETURNING id', [
        authorId,
        title,
        body,
      ]);
      return rows[0];
    },
    close: () => pool.end(),
  };
}
