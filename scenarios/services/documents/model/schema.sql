-- The document store in the manner of Ed-Fi Meadowlark: whole documents as jsonb, found by a hash of their natural key.

CREATE TABLE public.documents (
  id bigserial PRIMARY KEY,
  document_id varchar(38) NOT NULL,
  document_uuid uuid NOT NULL,
  resource_name varchar NOT NULL,
  identity jsonb NOT NULL,
  body jsonb NOT NULL,
  is_descriptor boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_modified_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX ux_documents_document_id ON public.documents (document_id);
CREATE UNIQUE INDEX ux_documents_document_uuid ON public.documents (document_uuid);

-- The parent document refers to the other one, by any of its aliases.
CREATE TABLE public."references" (
  id bigserial PRIMARY KEY,
  parent_document_id varchar(38) NOT NULL,
  referenced_document_id varchar(38) NOT NULL
);
CREATE INDEX ix_references_checking ON public."references" (referenced_document_id);
CREATE INDEX ix_references_deleting ON public."references" (parent_document_id);

-- A row for each id under which a document can be referred to: its own, and its superclass's where it has one.
CREATE TABLE public.aliases (
  id bigserial PRIMARY KEY,
  alias_id varchar(38) NOT NULL,
  document_id varchar(38) NOT NULL,
  document_uuid uuid NOT NULL
);
CREATE INDEX ix_aliases_document_id ON public.aliases (document_id);
CREATE INDEX ix_aliases_document_uuid ON public.aliases (document_uuid);
-- Unique, since two subclass documents that are inserted at once would both find the superclass's alias free.
CREATE UNIQUE INDEX ix_aliases_alias_id ON public.aliases (alias_id);
